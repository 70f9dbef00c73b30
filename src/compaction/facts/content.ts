/** What a sentence is about: its words in a plain form, and its values (numbers, paths, names with signs in them). */
interface Content {
  words: ReadonlySet<string>;
  values: ReadonlySet<string>;
}

/** Words that say nothing about the subject of a sentence. */
const common = new Set(
  "xx a an the this that these those it its is are be been was were do does did done don't dont to of in on at by for from with without into onto as and or but if so then than when whenever until unless before after while about one whole only just also please pls never always ever not no nothing none must should shall may can could would will have has had need needs use uses used using make makes sure ensure keep let lets let's you your yours we our us i me my they them their he she all any every each some more most other another new now actually instead sorry wait meant mean correction rather longer anymore change changed plan from-now-on going forward rule rules remember want like prefer get go goes put run runs set am there here what which who how why ok okay fine first again still too very really even over under up down out off der die das den dem ein eine einen nie niemals immer nicht kein keine bitte und oder aber auf in mit ohne ab jetzt sofort verwende nimm nutze le la les un une des de du jamais toujours pas ne et ou el los las una nunca siempre no y o que en con sin against allowed via per thing things way lot bit everything anything something nobody thanks hey hi yes yeah nope maybe though although since because already soon later today tomorrow yesterday last next same back else got getting having being it's that's i'm i've i'd i'll you're you've we're we've doesn't didn't isn't aren't won't can't there's what's know think take took give gave given say said says see look looks good right wrong much many few little own".split(
    " ",
  ),
);

/** Between the words of a name: minSdk. A path or a name with other signs is one value. */
const camelHump = /(?<=(?:^|[\s("'`])[a-z]{2,20})(?=[A-Z][a-z]{2,20}(?:[\s,.;:)"'`]|$))/g;

/** What stands between words. */
const apart = /[\s—–…]+|\.{2,}/;

/** Numbers in words. "One" seldom counts anything. */
const tens = "twenty thirty forty fifty sixty seventy eighty ninety".split(" ");
const ones = "one two three four five six seven eight nine".split(" ");
const counting = new Set([
  ...ones.slice(1),
  ..."ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen hundred".split(" "),
  ...tens.flatMap((ten) => [ten, ...ones.map((one) => `${ten}-${one}`)]),
]);

export function contentOf(sentence: string): Content {
  const found = { words: new Set<string>(), values: new Set<string>() };
  for (const word of sentence.replaceAll(camelHump, " ").toLowerCase().replaceAll("’", "'").split(apart)) {
    const text = bare(word);
    if (isValue(text) || counting.has(text)) found.values.add(text);
    else if (text.length > 1 && !common.has(text)) found.words.add(stem(text));
    // Text without spaces between words: compare pairs of characters.
    if (/[\u3040-\u30ff\u4e00-\u9fff]/.test(text))
      for (let index = 0; index + 2 <= text.length; index++) found.words.add(text.slice(index, index + 2));
  }
  return found;
}

/** A word without its ending: dates and date, committing and commit. What is left need not be a word. */
function stem(word: string): string {
  const one = singular(word.replace(/'s?$/, ""));
  const verb = one.replace(/(?<=[aeiouy]\w+)(?<!e)(?:ing|ed)$/, "");
  const undoubled = verb.replace(/(?<=.)([bdfgmnprt])\1$/, "$1");
  return undoubled.length > 3 ? undoubled.replace(/e$/, "") : undoubled;
}

function singular(word: string): string {
  if (word.length < 4) return word;
  return word
    .replace(/ies$/, "y")
    .replace(/(?<=s|x|z|ch|sh)es$/, "")
    .replace(/(?<=[^su])s$/, "");
}

const ascii = /^[\x20-\x7e]*$/;

/** A word without the punctuation around it. */
function bare(word: string): string {
  // The patterns for letters of all scripts take long to compile.
  if (ascii.test(word)) return word.toLowerCase().replace(/^[^\w./@-]+|(?<![^\w/@-])[^\w/@-]+$/g, "");
  return word
    .toLowerCase()
    .replace(/^[^\p{L}\p{N}./@_-]+/u, "")
    .replace(/(?<![^\p{L}\p{N}/@_-])[^\p{L}\p{N}/@_-]+$/u, "");
}

function isValue(word: string): boolean {
  return /[\d/@_\\]|\w[.-]\w/.test(word);
}
