/** What the work of an agent is made of, in the plural. A bare plural of these with "must" is a convention. */
const plurals = new Set(
  "commit commits messages branch branches pr prs mrs titles reviews releases tags versions deploys deployments migrations dependencies packages imports tests fixtures mocks comments docs docstrings functions methods components classes types names variables constants identifiers files paths scripts config configs secrets credentials passwords keys tokens logs timestamps dates times amounts prices currencies ids urls endpoints routes queries responses requests errors exceptions strings texts translations answers replies reports summaries changes edits patches backups jobs schemas tables columns headers lines pages screenshots images licences licenses money".split(
    " ",
  ),
);

/** Plurals of two words. */
const pairs = new Set([
  "commit message",
  "changelog entries",
  "feature flags",
  "test data",
  "customer data",
  "personal data",
  "user data",
  "env vars",
]);

/** One of them, or all code. */
const singulars = new Set(
  "code sql markup documentation query message release tag version deploy deployment migration dependency package import test bugfix fix bug feature comment function method component class type name variable file script secret endpoint route request response error string answer reply report summary change edit push merge task step schema table column page backup job entry".split(
    " ",
  ),
);

const pluralMark = "\ue000";
const singularMark = "\ue001";

/** A word of a marked text, of any kind. */
export const anyWord = "[\\w\\ue000\\ue001-]+";

/** A marked plural, and a marked plural or singular. */
export const subjects = "[a-z]*\\ue000";
export const subject = "[a-z]*[\\ue000\\ue001]";

/**
 * Marks the subjects in a sentence, by their last letter, so that the places of all words stay the same. A pattern with
 * all of these words would take longer to compile than all else.
 */
export function markSubjects(text: string): string {
  let before = "";
  return text.replaceAll(/[a-z]+/g, (word) => {
    const isPlural = plurals.has(word) || pairs.has(`${before} ${word}`);
    before = word;
    if (isPlural) return word.slice(0, -1) + pluralMark;
    return singulars.has(word) ? word.slice(0, -1) + singularMark : word;
  });
}
