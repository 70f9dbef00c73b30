/** Words of rules as people mistype them. */
const misspelt: Record<string, string> = {
  never: "nevr nver neevr enver nevver",
  ever: "evr",
  every: "evry evrey evey eveyr",
  always: "alwasy allways alwyas awlays alwys alays",
  "don't": "dont dnt dotn donot",
  "doesn't": "doesnt",
  "can't": "cant",
  "shouldn't": "shouldnt",
  "mustn't": "mustnt",
  "won't": "wont",
  not: "nto",
  from: "form",
  must: "msut",
  should: "shoud shuold",
  please: "plz pls plese pleas",
  before: "befor beofre befroe",
  without: "witout wihtout withuot",
  ask: "aks",
  asking: "askin",
  first: "frist",
  approval: "approvl aproval",
  touch: "tuch toch",
  commit: "comit commmit",
  use: "ues",
  you: "u",
};

const meant = new Map(
  Object.entries(misspelt).flatMap(([word, typos]) => typos.split(" ").map((typo) => [typo, word] as const)),
);

/** A text in lower case with the words of rules spelt right. "form" is a word of its own but before "now on". */
export function corrected(text: string): string {
  return text
    .replaceAll(/\bw\/o\b/g, "without")
    .replaceAll(/\bdo n't\b/g, "don't")
    .replaceAll(/[a-z]+(?:'[a-z]+)?/g, (word, at: number) =>
      word === "form" && !text.startsWith("form now on", at) ? word : (meant.get(word) ?? word),
    );
}
