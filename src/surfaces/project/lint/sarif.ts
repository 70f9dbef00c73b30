import type { LintReport } from "./lint.ts";
import { ruleSentences } from "./rules.ts";

/** The report as SARIF 2.1.0, for code scanning in CI. */
export function renderSarif({ file, findings }: LintReport): Record<string, unknown> {
  const ids = Object.keys(ruleSentences);
  return {
    $schema: "https://json.schemastore.org/sarif-2.1.0.json",
    version: "2.1.0",
    runs: [
      {
        tool: {
          driver: {
            name: "holdfast",
            rules: Object.entries(ruleSentences).map(([id, sentence]) => ({
              id,
              shortDescription: { text: sentence },
              defaultConfiguration: { level: "error" },
            })),
          },
        },
        results: findings.map(({ rule, line, message }) => ({
          ruleId: rule,
          ruleIndex: ids.indexOf(rule),
          level: "error",
          message: { text: message },
          locations: [
            {
              physicalLocation: {
                artifactLocation: { uri: encodeURI(file), uriBaseId: "%SRCROOT%" },
                region: { startLine: line },
              },
            },
          ],
        })),
      },
    ],
  };
}
