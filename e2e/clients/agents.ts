import { type JsonObject, objectOf, textOf } from '../../packages/server/src/lib/json.ts';
import { join } from 'node:path';

// How each coding agent is called with the gateway's address and a key, by the documentation of its command line.

/** Protocols of callers. */
export type Protocol = 'chat' | 'Responses' | 'Messages' | 'Gemini';

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

export interface Agent {
  /** File that is there if the agent is installed. */
  program: string;
  /** True for a script of Node. */
  isScript?: true;
  /** Protocols that its command line takes an address for. */
  protocols: readonly Protocol[];
  /** Files of its settings, below its home. */
  settings?: (task: Task) => Record<string, string>;
  /** A command before the first turn. */
  prepare?: (task: Task) => string[];
  args: (task: Task) => string[];
  env?: (task: Task) => Record<string, string>;
  /** The agent edits files by its answer instead of tools. */
  writesFiles?: true;
}

const packages = join(import.meta.dirname, 'node_modules');
const platform = `${process.platform}-${process.arch}`;
const all: readonly Protocol[] = ['chat', 'Responses', 'Messages', 'Gemini'];

const openai = ({ url, key }: Task) => ({ OPENAI_API_KEY: key, OPENAI_BASE_URL: `${url}/v1` });
const anthropic = ({ url, key }: Task) => ({ ANTHROPIC_API_KEY: key, ANTHROPIC_BASE_URL: url });
const google = ({ url, key }: Task) => ({ GEMINI_API_KEY: key, GOOGLE_GEMINI_BASE_URL: url });

/** Words of a command line. */
const flags = (line: string): string[] => line.split(' ');

/** The names of pi for the protocols, and the paths before theirs. */
const ofPi: Readonly<Record<Protocol, [api: string, path: string]>> = {
  chat: ['openai-completions', '/v1'],
  Responses: ['openai-responses', '/v1'],
  Messages: ['anthropic-messages', ''],
  Gemini: ['google-generative-ai', '/v1beta'],
};

/** The package of the AI SDK with which opencode speaks a protocol. */
const ofOpencode: Readonly<Record<Protocol, string>> = {
  chat: '@ai-sdk/openai-compatible',
  Responses: '@ai-sdk/openai',
  Messages: '@ai-sdk/anthropic',
  Gemini: '@ai-sdk/google',
};

const ofQwen: Readonly<Record<Protocol, string>> = {
  chat: 'openai',
  Responses: 'openai-responses',
  Messages: 'anthropic',
  Gemini: 'gemini',
};

export const agents: Readonly<Record<string, Agent>> = {
  'Claude Code': {
    program: join(packages, `@anthropic-ai/claude-code-${platform}/claude`),
    protocols: ['Messages'],
    args: ({ model, prompt }) => [
      ...flags(`-p --model ${model} --output-format text --dangerously-skip-permissions`),
      prompt,
    ],
    env: (task) => ({
      ...anthropic(task),
      ANTHROPIC_DEFAULT_HAIKU_MODEL: task.model,
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      DISABLE_AUTOUPDATER: '1',
      // It refuses to run commands unasked for root, except in a sandbox.
      IS_SANDBOX: '1',
    }),
  },
  Codex: {
    program: join(packages, '.bin/codex'),
    protocols: ['Responses'],
    settings: ({ url, model }) => ({
      '.codex/config.toml':
        `model = "${model}"\nmodel_provider = "gateway"\n[model_providers.gateway]\nname = "Gateway"\n` +
        `base_url = "${url}/v1"\nenv_key = "GATEWAY_KEY"\nwire_api = "responses"\n`,
    }),
    args: ({ prompt }) => [
      ...flags('exec --json --skip-git-repo-check --dangerously-bypass-approvals-and-sandbox'),
      prompt,
    ],
    env: ({ key }) => ({ GATEWAY_KEY: key }),
  },
  'Gemini CLI': {
    program: join(packages, '.bin/gemini'),
    protocols: ['Gemini'],
    settings: () => ({
      '.gemini/settings.json': JSON.stringify({
        security: { auth: { selectedType: 'gemini-api-key' } },
        privacy: { usageStatisticsEnabled: false },
        general: { disableAutoUpdate: true, disableUpdateNag: true },
      }),
    }),
    args: ({ model, prompt }) => [
      ...flags(`--skip-trust --yolo --output-format json --model ${model} --prompt`),
      prompt,
    ],
    env: google,
  },
  'Qwen Code': {
    program: join(packages, '.bin/qwen'),
    isScript: true,
    protocols: all,
    args: ({ protocol, model, prompt }) => [
      ...flags(`--auth-type ${ofQwen[protocol]} --yolo --model ${model} --output-format json`),
      prompt,
    ],
    env: (task) => ({ ...openai(task), ...anthropic(task), ...google(task) }),
  },
  opencode: {
    program: join(packages, `opencode-${platform}/bin/opencode`),
    protocols: all,
    args: ({ model, prompt }) => ['run', '--model', `gateway/${model}`, '--title', 'A turn', prompt],
    env: ({ url, key, model, protocol }) => ({
      OPENCODE_DISABLE_AUTOUPDATE: '1',
      OPENCODE_DISABLE_MODELS_FETCH: '1',
      OPENCODE_CONFIG_CONTENT: JSON.stringify({
        permission: 'allow',
        autoupdate: false,
        provider: {
          gateway: {
            npm: ofOpencode[protocol],
            options: { baseURL: `${url}/${protocol === 'Gemini' ? 'v1beta' : 'v1'}`, apiKey: key },
            models: { [model]: {} },
          },
        },
      }),
    }),
  },
  pi: {
    program: join(packages, '@earendil-works/pi-coding-agent/dist/bundle/cli.js'),
    isScript: true,
    protocols: all,
    settings: ({ url, key, model, protocol }) => {
      const [api, path] = ofPi[protocol];
      const gateway = { baseUrl: `${url}${path}`, api, apiKey: key, models: [{ id: model }] };
      return { '.pi/agent/models.json': JSON.stringify({ providers: { gateway } }) };
    },
    args: ({ model, prompt }) => [
      ...flags(`--offline --no-session --print --model gateway/${model}`),
      prompt,
    ],
  },
  cline: {
    program: join(packages, '.bin/cline'),
    protocols: ['chat'],
    prepare: ({ url, key, model, home }) => [
      ...flags(
        `auth --provider openai-compatible --apikey ${key} --modelid ${model} --baseurl ${url}/v1 --data-dir`,
      ),
      join(home, 'cline'),
    ],
    args: ({ model, prompt, home }) => [
      ...flags(`--provider openai-compatible --model ${model} --json --data-dir`),
      join(home, 'cline'),
      prompt,
    ],
  },
  Continue: {
    program: join(packages, '@continuedev/cli/dist/cn.js'),
    isScript: true,
    protocols: ['chat', 'Messages'],
    // JSON is YAML, too.
    settings: ({ url, key, model, protocol }) => ({
      'continue.yaml': JSON.stringify({
        name: 'gateway',
        version: '0.0.1',
        schema: 'v1',
        models: [
          {
            name: model,
            provider: protocol === 'chat' ? 'openai' : 'anthropic',
            model,
            apiBase: `${url}/v1`,
            apiKey: key,
            capabilities: ['tool_use'],
            roles: ['chat'],
          },
        ],
      }),
    }),
    args: ({ prompt, home }) => ['--print', '--auto', '--config', join(home, 'continue.yaml'), prompt],
    env: () => ({ CONTINUE_TELEMETRY_ENABLED: '0' }),
  },
  aider: {
    program: join(import.meta.dirname, 'aider/venv/bin/python'),
    protocols: ['chat', 'Messages'],
    writesFiles: true,
    args: ({ model, protocol, prompt }) => [
      ...flags(
        `-m aider --model ${protocol === 'chat' ? 'openai' : 'anthropic'}/${model} --edit-format whole`,
      ),
      ...flags('--no-git --yes-always --no-pretty --map-tokens 0 --no-check-update --no-show-release-notes'),
      ...flags('--no-show-model-warnings --analytics-disable --message'),
      prompt,
      'seen.txt',
    ],
    env: (task) => ({
      ...anthropic(task),
      OPENAI_API_KEY: task.key,
      OPENAI_API_BASE: `${task.url}/v1`,
      // Otherwise it asks the open network for a list of prices.
      LITELLM_LOCAL_MODEL_COST_MAP: 'True',
    }),
  },
};

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
