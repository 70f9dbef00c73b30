const heading =
  /^(?:(?!.*\b(?:eslint|lint|firewall|css|routing|business|validation|redirect|game|add|fix|implement|change)\b)[^:]{0,60}\b(?:rules|conventions|agreements|preferences|principles|don'ts)\b[^:]{0,40}|(?:things|what) (?:you|i|we)\b[^:]{0,30}\b(?:must|should|never|don't|do not|not|may|always|want|expect)\b[^:]{0,30}|how (?:i|we)\b[^:]{0,30}\bwork\b[^:]{0,20}):/i;

/** Whether a line says that the list below it has rules. */
export function isRulesHeading(line: string): boolean {
  return line.length < 160 && line.endsWith(":") && heading.test(line);
}

/** Whether a sentence is such a heading with one of the points below it. */
export function isPointOfRules(sentence: string): boolean {
  return /:\s\S/.test(sentence) && heading.test(sentence);
}
