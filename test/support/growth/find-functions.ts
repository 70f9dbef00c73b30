import { parseSync } from "oxc-parser";

interface Parameter {
  name?: string;
  typeAnnotation?: { typeAnnotation?: { type?: string } };
  left?: Parameter;
}

/** The names of parameters that take text of any length. Ids, paths and names are checked where they come in. */
const textNames = /^(?:text|content|whole|quote|glob|summary|base|query|markdown|row|line|inside)$/;

/** Exported functions whose first argument is a text, as `path name`. */
export function findTextFunctions(path: string, text: string): string[] {
  return parseSync(path, text).program.body.flatMap((statement) => {
    if (statement.type !== "ExportNamedDeclaration") return [];
    const { declaration } = statement;
    if (declaration?.type !== "FunctionDeclaration" || !declaration.id) return [];
    const [parameter] = declaration.params as Parameter[];
    const first = parameter?.left ?? parameter;
    const isText = first?.typeAnnotation?.typeAnnotation?.type === "TSStringKeyword";
    return isText && textNames.test(first?.name ?? "") ? [`${path} ${declaration.id.name}`] : [];
  });
}
