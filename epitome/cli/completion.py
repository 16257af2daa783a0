"""`completion SHELL`: a script that completes the commands and options of `epitome`.

The script is made from the same parsers as the command line. Words that it does not know are completed as file names.
"""

from argparse import ArgumentParser, Namespace

SUMMARY = 'Print a completion script: eval "$(epitome completion bash)".'
EXAMPLES = ("epitome completion bash", "epitome completion zsh", "epitome completion fish")
SHELLS = ("bash", "zsh", "fish")

BASH = """_epitome() {{
  local current="${{COMP_WORDS[COMP_CWORD]}}" options=""
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W "{commands}" -- "$current")); return
  fi
  case "${{COMP_WORDS[1]}}" in
{cases}
  esac
  if [[ "$current" == -* ]]; then
    COMPREPLY=($(compgen -W "$options" -- "$current"))
  else
    COMPREPLY=($(compgen -f -- "$current"))
  fi
}}
complete -o filenames -F _epitome epitome"""


def add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("shell", choices=SHELLS)


def build_script(arguments: Namespace) -> str:
    """The script of one shell."""
    options = list_options()
    if arguments.shell == "fish":
        return "\n".join(_fish_lines(options))
    cases = "\n".join(f'    {command}) options="{" ".join(words)}" ;;' for command, words in options.items())
    script = BASH.format(commands=" ".join(options), cases=cases)
    return f"autoload -U +X bashcompinit && bashcompinit\n{script}" if arguments.shell == "zsh" else script


def list_options() -> dict[str, list[str]]:
    """The long options of every command, by command."""
    from epitome.cli.commands import LIBRARY_COMMANDS
    from epitome.cli.site import SUMMARIES

    options: dict[str, list[str]] = {}
    for name, command in LIBRARY_COMMANDS.items():
        parser = ArgumentParser(prog=name)
        command.add_arguments(parser)
        words = parser.format_help().replace("[", " ").replace("]", " ").replace(",", " ").split()
        options[name] = sorted({word for word in words if word.startswith("--")})
    return options | {name: ["--help"] for name in SUMMARIES}


def _fish_lines(options: dict[str, list[str]]) -> list[str]:
    lines = [f'complete -c epitome -n __fish_use_subcommand -f -a "{" ".join(options)}"']
    for command, words in options.items():
        condition = f'-n "__fish_seen_subcommand_from {command}"'
        lines += [f"complete -c epitome {condition} -l {word.removeprefix('--')}" for word in words]
    return lines
