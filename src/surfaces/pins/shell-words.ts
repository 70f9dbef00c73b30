/** A word of a command, without its quotes. */
export interface ShellWord {
  text: string;
  /** The shell replaces a part of it: a variable, the output of a command, a glob. */
  isOpen: boolean;
}

export interface ShellCommand {
  words: ShellWord[];
  /** What it reads: here-documents and here-strings. */
  inputs: ShellWord[];
  /** The files of its redirections. */
  files: string[];
  /** Its output goes to the next command. */
  isPiped: boolean;
  /** The command that its output becomes a part of, as in `eval $(…)`. */
  feeds: ShellCommand | undefined;
}

/** The start of a here-document: its name, with or without quotes. */
const hereDocument = /<<[-~]?[ \t]*(['"\\]?)([\w.-]+)['"]?/y;
const braces = /\{([^{}\s'"]*)\}(?=\s|$)/y;

/**
 * The simple commands of a shell script, in one pass. It reads what an agent writes, and is not a shell: keywords are
 * words, and nothing is expanded except a list in braces.
 */
export function readCommands(script: string): ShellCommand[] {
  return new Reader(script).read();
}

class Reader {
  readonly #script: string;
  readonly #commands: ShellCommand[] = [];
  /** Commands around the open parentheses. */
  readonly #around: (ShellCommand | undefined)[] = [];
  #command = newCommand(undefined);
  #word: ShellWord | undefined;
  /** The next word belongs to a redirection: to a file, or to a here-string. */
  #redirection: "file" | "input" | undefined;
  /** Here-documents that begin on the next line. */
  #awaited: { command: ShellCommand; name: string; isOpen: boolean }[] = [];
  #inBackticks = false;
  #at = 0;

  constructor(script: string) {
    this.#script = script;
  }

  read(): ShellCommand[] {
    while (this.#at < this.#script.length) this.#step(this.#script[this.#at++] ?? "");
    this.#endCommand(undefined);
    return this.#commands;
  }

  #step(char: string): void {
    if (char === "\\") this.#escape();
    else if (char === "'") this.#quoted("'", false);
    else if (char === '"') this.#quoted('"', true);
    else if (char === "\n") this.#endLine();
    else if (/\s/.test(char)) this.#endWord();
    else if (char === "#" && !this.#word) this.#skipTo("\n");
    else if (char === "$" && this.#next === "(") this.#open();
    else if (char === "`") this.#backtick();
    else if (char === "(") this.#enter(this.#command.feeds);
    else if (char === ")") this.#endCommand(this.#around.pop());
    else if (char === "<" || char === ">") this.#redirect(char);
    else if (char === "&" && this.#next === ">") this.#endWord();
    else if (char === ";" || char === "&" || char === "|") this.#separate(char);
    else if (char === "{") this.#brace();
    // The escape character of cmd.exe.
    else if (char !== "^") this.#add(char, /[$*?[%]/.test(char));
  }

  get #next(): string {
    return this.#script[this.#at] ?? "";
  }

  #add(text: string, isOpen: boolean): void {
    this.#word ??= { text: "", isOpen: false };
    this.#word.text += text;
    this.#word.isOpen ||= isOpen;
  }

  /** A backslash: the next character is literal, and a line break is none. */
  #escape(): void {
    if (this.#next !== "\n") this.#add(this.#next, false);
    this.#at++;
  }

  #quoted(quote: string, isExpanded: boolean): void {
    const start = this.#at;
    while (this.#at < this.#script.length && this.#next !== quote)
      this.#at += isExpanded && this.#next === "\\" ? 2 : 1;
    const text = this.#script.slice(start, this.#at++);
    this.#add(isExpanded ? text.replaceAll(/\\(["\\$`\n])/g, "$1") : text, isExpanded && /[$`]/.test(text));
  }

  /** `$(`: the command continues with what the one in parentheses prints. */
  #open(): void {
    this.#at++;
    this.#add("", true);
    this.#enter(this.#command);
  }

  #enter(feeds: ShellCommand | undefined): void {
    const around = this.#command.feeds;
    this.#endCommand(feeds);
    this.#around.push(around);
  }

  #backtick(): void {
    this.#add("", true);
    const inside = this.#inBackticks ? undefined : this.#command;
    this.#inBackticks = !this.#inBackticks;
    this.#endCommand(inside);
  }

  #redirect(char: string): void {
    // The number of a file, as in `2>`.
    if (/^\d+$/.test(this.#word?.text ?? "")) this.#word = undefined;
    this.#endWord();
    hereDocument.lastIndex = this.#at - 1;
    const [whole = "", quote = "", name = ""] = (char === "<" && hereDocument.exec(this.#script)) || [];
    if (whole !== "") {
      this.#at += whole.length - 1;
      this.#awaited.push({ command: this.#command, name, isOpen: quote === "" });
      return;
    }
    if (this.#next === "(") {
      this.#at++;
      this.#enter(this.#command);
      return;
    }
    const start = this.#at;
    while (/[<>&|]/.test(this.#next)) this.#at++;
    this.#redirection = this.#at - start === 2 && char === "<" ? "input" : "file";
  }

  #separate(char: string): void {
    this.#endWord();
    this.#command.isPiped = char === "|" && this.#next !== "|";
    const { feeds } = this.#command;
    if (this.#next === char || (char === "|" && this.#next === "&")) this.#at++;
    this.#endCommand(feeds);
  }

  #brace(): void {
    braces.lastIndex = this.#at - 1;
    const [whole = "", list = ""] = (!this.#word && braces.exec(this.#script)) || [];
    if (!list.includes(",")) {
      this.#add("{", true);
      return;
    }
    this.#at += whole.length - 1;
    this.#command.words.push(...list.split(",").map((text) => ({ text, isOpen: false })));
  }

  #endLine(): void {
    this.#endWord();
    for (const { command, name, isOpen } of this.#awaited) {
      const start = this.#at;
      let end = start;
      while (this.#at < this.#script.length) {
        const line = this.#line();
        if (line.trim() === name) break;
        end = this.#at;
      }
      command.inputs.push({ text: this.#script.slice(start, end), isOpen });
    }
    this.#awaited = [];
    this.#endCommand(this.#command.feeds);
  }

  #line(): string {
    const start = this.#at;
    this.#skipTo("\n");
    return this.#script.slice(start, this.#at++);
  }

  #skipTo(char: string): void {
    const end = this.#script.indexOf(char, this.#at);
    this.#at = end === -1 ? this.#script.length : end;
  }

  #endWord(): void {
    const word = this.#word;
    this.#word = undefined;
    if (!word) return;
    if (this.#redirection === "input") this.#command.inputs.push(word);
    else if (this.#redirection === "file") this.#command.files.push(word.text);
    else this.#command.words.push(word);
    this.#redirection = undefined;
  }

  #endCommand(feeds: ShellCommand | undefined): void {
    this.#endWord();
    this.#redirection = undefined;
    const { words, inputs } = this.#command;
    if (words.length + inputs.length > 0) this.#commands.push(this.#command);
    this.#command = newCommand(feeds);
  }
}

function newCommand(feeds: ShellCommand | undefined): ShellCommand {
  return { words: [], inputs: [], files: [], isPiped: false, feeds };
}
