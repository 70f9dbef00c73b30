import { hostNames } from "../hosts/hosts.ts";
import type { Completion } from "./commands/completions.ts";

const hosts = hostNames.join(" ");

export function bashScript(commands: readonly Completion[]): string {
  return `# bash completion for holdfast
_holdfast() {
  local word="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD-1]}" command="\${COMP_WORDS[1]}"
  COMPREPLY=()
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W "${[...commands.map(({ name }) => name), "help", "--version"].join(" ")}" -- "$word"))
    return
  fi
  case "$previous" in
    --db|--into|--prices) COMPREPLY=($(compgen -f -- "$word")); return ;;
    --session) COMPREPLY=($(compgen -W "$(holdfast completions sessions 2>/dev/null)" -- "$word")); return ;;
    --space) COMPREPLY=($(compgen -W "notepad notes plan" -- "$word")); return ;;
  esac
  if [[ "$word" == -* ]]; then
    case "$command" in
${commands.map(({ name, options }) => `      ${name}) COMPREPLY=($(compgen -W "${options.join(" ")}" -- "$word")) ;;`).join("\n")}
    esac
    return
  fi
  case "$command" in
    ${sessionCommands(commands).join("|")}) COMPREPLY=($(compgen -W "$(holdfast completions sessions 2>/dev/null)" -- "$word")) ;;
    ${hostCommands(commands).join("|")}) COMPREPLY=($(compgen -W "${hosts}" -- "$word")) ;;
    completions) COMPREPLY=($(compgen -W "bash zsh fish powershell" -- "$word")) ;;
    import|replay) COMPREPLY=($(compgen -f -- "$word")) ;;
  esac
}
complete -F _holdfast holdfast
`;
}

export function zshScript(commands: readonly Completion[]): string {
  return `#compdef holdfast
# zsh completion for holdfast
_holdfast() {
  local -a commands options sessions
  commands=(
${commands.map(({ name, summary }) => `    ${quoted(`${name}:${summary.replaceAll(":", "\\:")}`)}`).join("\n")}
  )
  if (( CURRENT == 2 )); then
    _describe command commands
    return
  fi
  case "\${words[CURRENT-1]}" in
    --db|--into|--prices) _files; return ;;
    --space) compadd notepad notes plan; return ;;
    --session) sessions=(\${(f)"$(holdfast completions sessions 2>/dev/null)"}); compadd -a sessions; return ;;
  esac
  if [[ "\${words[CURRENT]}" == -* ]]; then
    case "\${words[2]}" in
${commands.map(({ name, options }) => `      ${name}) options=(${options.join(" ")}) ;;`).join("\n")}
    esac
    compadd -a options
    return
  fi
  case "\${words[2]}" in
    ${sessionCommands(commands).join("|")}) sessions=(\${(f)"$(holdfast completions sessions 2>/dev/null)"}); compadd -a sessions ;;
    ${hostCommands(commands).join("|")}) compadd ${hosts} ;;
    completions) compadd bash zsh fish powershell ;;
    import|replay) _files ;;
  esac
}
compdef _holdfast holdfast
`;
}

export function fishScript(commands: readonly Completion[]): string {
  const seen = (name: string) => `-n '__fish_seen_subcommand_from ${name}'`;
  return `# fish completion for holdfast
complete -c holdfast -f
${commands
  .flatMap(({ name, summary, options }) => [
    `complete -c holdfast -n __fish_use_subcommand -a ${name} -d ${quoted(summary)}`,
    ...options.map((option) => `complete -c holdfast ${seen(name)} -l ${option.slice(2)}`),
  ])
  .join("\n")}
complete -c holdfast ${seen(sessionCommands(commands).join(" "))} -a '(holdfast completions sessions 2>/dev/null)'
complete -c holdfast ${seen(hostCommands(commands).join(" "))} -a '${hosts}'
complete -c holdfast -l session -x -a '(holdfast completions sessions 2>/dev/null)'
complete -c holdfast ${seen("edit")} -l space -x -a 'notepad notes plan'
complete -c holdfast ${seen("completions")} -a 'bash zsh fish powershell'
complete -c holdfast ${seen("import replay")} -F
complete -c holdfast -l db -r -F
`;
}

export function powershellScript(commands: readonly Completion[]): string {
  const table = commands.map(
    ({ name, summary, options }) =>
      `  ${powershellText(name)} = @{ Summary = ${powershellText(summary)}; Options = @(${options.map(powershellText).join(", ")}) }`,
  );
  const list = (names: readonly string[]) => `@(${names.map(powershellText).join(", ")})`;
  return `# PowerShell completion for holdfast
$holdfastCommands = [ordered]@{
${table.join("\n")}
}
Register-ArgumentCompleter -Native -CommandName holdfast -ScriptBlock {
  param($word, $line, $cursor)
  $words = @($line.CommandElements | ForEach-Object { $_.ToString() })
  $previous = if ($word -eq '') { $words[-1] } else { $words[-2] }
  $position = if ($word -eq '') { $words.Count } else { $words.Count - 1 }
  $command = $words[1]
  $choices = if ($position -le 1) { @($holdfastCommands.Keys) + 'help' + '--version' }
    elseif ($previous -eq '--space') { 'notepad', 'notes', 'plan' }
    elseif ($previous -eq '--session') { holdfast completions sessions 2>$null }
    elseif ($word -like '-*') { $holdfastCommands[$command].Options }
    elseif ($command -in ${list(sessionCommands(commands))}) { holdfast completions sessions 2>$null }
    elseif ($command -in ${list(hostCommands(commands))}) { ${hosts
      .split(" ")
      .map(powershellText)
      .join(", ")} }
    elseif ($command -eq 'completions') { 'bash', 'zsh', 'fish', 'powershell' }
    elseif ($command -eq 'help') { @($holdfastCommands.Keys) }
  $choices | Where-Object { $_ -like "$word*" } | ForEach-Object {
    $summary = if ($position -le 1 -and $holdfastCommands[$_]) { $holdfastCommands[$_].Summary } else { $_ }
    [System.Management.Automation.CompletionResult]::new($_, $_, 'ParameterValue', $summary)
  }
}
`;
}

function powershellText(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

function sessionCommands(commands: readonly Completion[]): string[] {
  return commands.filter(({ takesSession }) => takesSession).map(({ name }) => name);
}

function hostCommands(commands: readonly Completion[]): string[] {
  return commands.filter(({ takesHost }) => takesHost).map(({ name }) => name);
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
