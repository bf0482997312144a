import { type JsonObject, objectOf, textOf } from '../../packages/server/src/lib/json.ts';
import { join } from 'node:path';
import {
  type Protocol,
  type Setup,
  type SetupPart,
  setups,
  textOfPart,
} from '../../packages/web/src/shared/snippets/setups.ts';

// How each coding agent is called for one turn. Its address, key and model are set up as the console and docs/use-it-with.md
// say (setups.ts); what is here is only about the tests.

export type { Protocol };

/** One turn of an agent. */
export interface Task {
  /** Address of the gateway. */
  url: string;
  key: string;
  model: string;
  protocol: Protocol;
  prompt: string;
  /** The agent's home, without settings of other runs of the machine. */
  home: string;
}

/** Differences between a turn of the tests and the setup that people have. */
interface Turn {
  /** File that is there if the agent is installed. */
  program: string;
  /** True for a script of Node. */
  isScript?: true;
  /** Further files, below its home. */
  settings?: Record<string, string>;
  /** `words` are those after the program's name in the last command of the setup. */
  args: (task: Task, words: readonly string[]) => string[];
  env?: Record<string, string>;
  /** The agent edits files by its answer instead of tools. */
  writesFiles?: true;
}

export interface Agent extends Omit<Turn, 'args'> {
  args: (task: Task) => string[];
  /** Protocols that its command line takes an address for. */
  protocols: readonly Protocol[];
  /** Parts of the setup for a task. */
  parts: (task: Task) => SetupPart[];
}

const packages = join(import.meta.dirname, 'node_modules');
const platform = `${process.platform}-${process.arch}`;

/** Words of a command line. */
const flags = (line: string): string[] => line.split(' ');

const turns: Readonly<Record<string, Turn>> = {
  'claude-code': {
    program: join(packages, `@anthropic-ai/claude-code-${platform}/claude`),
    args: ({ prompt }) => [...flags('-p --output-format text --dangerously-skip-permissions'), prompt],
    env: {
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      DISABLE_AUTOUPDATER: '1',
      // It refuses to run commands unasked for root, except in a sandbox.
      IS_SANDBOX: '1',
    },
  },
  codex: {
    program: join(packages, '.bin/codex'),
    args: ({ prompt }) => [
      ...flags('exec --json --skip-git-repo-check --dangerously-bypass-approvals-and-sandbox'),
      prompt,
    ],
  },
  'gemini-cli': {
    program: join(packages, '.bin/gemini'),
    settings: {
      '.gemini/settings.json': JSON.stringify({
        security: { auth: { selectedType: 'gemini-api-key' } },
        privacy: { usageStatisticsEnabled: false },
        general: { disableAutoUpdate: true, disableUpdateNag: true },
      }),
    },
    args: ({ prompt }, words) => [
      ...words,
      ...flags('--skip-trust --yolo --output-format json --prompt'),
      prompt,
    ],
  },
  'qwen-code': {
    program: join(packages, '.bin/qwen'),
    isScript: true,
    args: ({ prompt }, words) => [...words, ...flags('--yolo --output-format json'), prompt],
  },
  opencode: {
    program: join(packages, `opencode-${platform}/bin/opencode`),
    args: ({ prompt }, words) => ['run', ...words, '--title', 'A turn', prompt],
    env: {
      OPENCODE_DISABLE_AUTOUPDATE: '1',
      OPENCODE_DISABLE_MODELS_FETCH: '1',
      OPENCODE_CONFIG_CONTENT: JSON.stringify({ permission: 'allow', autoupdate: false }),
    },
  },
  pi: {
    program: join(packages, '@earendil-works/pi-coding-agent/dist/bundle/cli.js'),
    isScript: true,
    args: ({ prompt }, words) => [...flags('--offline --no-session --print'), ...words, prompt],
  },
  cline: {
    program: join(packages, '.bin/cline'),
    args: ({ model, prompt, home }) => [
      ...flags(`--provider openai-compatible --model ${model} --json --data-dir`),
      join(home, 'cline'),
      prompt,
    ],
  },
  continue: {
    program: join(packages, '@continuedev/cli/dist/cn.js'),
    isScript: true,
    args: ({ prompt, home }) => [
      ...flags('--print --auto --config'),
      join(home, '.continue/config.yaml'),
      prompt,
    ],
    env: { CONTINUE_TELEMETRY_ENABLED: '0' },
  },
  aider: {
    program: join(import.meta.dirname, 'aider/venv/bin/python'),
    writesFiles: true,
    args: ({ prompt }, words) => [
      ...flags('-m aider'),
      ...words,
      ...flags('--edit-format whole --no-git --yes-always --no-pretty --map-tokens 0 --no-check-update'),
      ...flags('--no-show-release-notes --no-show-model-warnings --analytics-disable --message'),
      prompt,
      'seen.txt',
    ],
    // Otherwise it asks the open network for a list of prices.
    env: { LITELLM_LOCAL_MODEL_COST_MAP: 'True' },
  },
};

/** An agent with its setup. */
function makeAgent({ name, protocols, parts }: Setup, turn: Turn): [name: string, agent: Agent] {
  const partsOf = ({ url, key, model, protocol }: Task) =>
    parts({ origin: url, apiKey: key, model }, protocol);
  const words = (task: Task) => {
    const command = partsOf(task).findLast(({ kind }) => kind === 'command');
    return command ? textOfPart(command).trim().split(' ').slice(1) : [];
  };
  const args = (task: Task) => turn.args(task, words(task));
  return [name, { ...turn, protocols, parts: partsOf, args }];
}

/** The agents by their names: every one that the setups have. */
export const agents: Readonly<Record<string, Agent>> = Object.fromEntries(
  setups.filter(({ kind }) => kind === 'agent').map((setup) => makeAgent(setup, turns[setup.id]!)),
);

/** Names of the tools by which agents run commands. */
const shells = /^(functions__exec|exec_command|run_shell_command|run_commands|bash|Bash)$/;
export const isShell = ({ name }: { name: string }): boolean => shells.test(name);

/** Input of a tool that runs commands, by its schema. */
export function runs(command: string, tool: { name: string; schema: JsonObject }): JsonObject {
  // A tool with free-text input, which is a program.
  if (tool.name === 'functions__exec')
    return { input: `text(JSON.stringify(await tools.exec_command({ cmd: ${JSON.stringify(command)} })))` };
  const fields = Object.entries(objectOf(tool.schema.properties));
  const isNeeded = (name: string): boolean => (tool.schema.required as string[]).includes(name);
  return Object.fromEntries(
    fields
      .filter(([name]) => isNeeded(name))
      .map(([name, schema]) => [name, valueOf(name, objectOf(schema))]),
  );

  function valueOf(name: string, { type }: JsonObject): JsonObject[string] {
    if (textOf(type) === 'boolean') return false;
    if (textOf(type) === 'array') return [command];
    return /^(command|cmd)$/.test(name) ? command : 'Reads the note.';
  }
}
