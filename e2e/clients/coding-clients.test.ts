/** @module-tag deep */
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { playModel } from '../../packages/server/src/testing/model/fake-model.ts';
import { type GatewayHarness, openGateway } from '../../packages/server/src/testing/gateway-harness.ts';

// Coding clients as people install them, with Tollgate's address and a key: each reads a file with a tool of its own and
// reports its content. Codex uses Responses, the Gemini CLI Gemini; `npm test` installs both.

const bin = (name: string): string => join(import.meta.dirname, 'node_modules/.bin', name);
const isInstalled = existsSync(bin('codex')) && existsSync(bin('gemini'));

/** An upstream of each protocol; the channel's type selects the protocol. */
const upstreams = [
  { protocol: 'Chat Completions', type: 31 },
  { protocol: 'Messages', type: 14 },
  { protocol: 'Gemini', type: 24 },
  { protocol: 'Responses', type: 1 },
];
const secret = 'the password is heron';

let gate: GatewayHarness;
let folder: string;
let key: string;

beforeAll(async () => {
  gate = await openGateway();
  await gate.core.settings.set('SelfUseModeEnabled', 'true');
  key = (await gate.addCaller({ balance: 500_000_000 })).key;
  // Not below the system's folder for temporary files: Codex does not trust that folder.
  folder = await mkdtemp(join(homedir(), '.tollgate-clients-'));
  await mkdir(join(folder, 'work'));
  await writeFile(join(folder, 'work/note.txt'), secret);
  gate.upstream.script(
    playModel(({ tools, results }) => {
      const shell = tools.find(({ name }) => /^(functions__exec|exec_command|run_shell_command)$/.test(name));
      if (!shell) return { say: 'There is no tool to run commands.' };
      if (results.length > 0) return { say: `I read: ${results.join('\n')}` };
      // A tool with free-text input, which is a program.
      if (shell.name === 'functions__exec')
        return {
          call: shell.name,
          input: { input: 'text(JSON.stringify(await tools.exec_command({ cmd: "cat note.txt" })))' },
        };
      const argument = shell.name === 'exec_command' ? 'cmd' : 'command';
      return { call: shell.name, input: { [argument]: 'cat note.txt' } };
    }),
  );
});
afterAll(async () => {
  await gate.close();
  await rm(folder, { recursive: true, force: true });
});
afterEach(async () => {
  await gate.core.ledger.flush();
  expect(await gate.openHolds()).toBe(0);
  expect(await gate.findings()).toEqual([]);
});

/** Runs a client in the folder with the note; returns its output. */
function run(command: string, args: string[], env: Record<string, string>): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(bin(command), args, {
      cwd: join(folder, 'work'),
      env: { PATH: process.env['PATH'], HOME: folder, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let output = '';
    child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
    child.stderr.on('data', (chunk: Buffer) => (output += chunk.toString()));
    child.on('error', reject);
    child.on('close', (code) =>
      code === 0 ? resolve(output) : reject(new Error(`${command} ended with ${code}:\n${output}`)),
    );
  });
}

/** Adds a channel; the name of its model is unique to this upstream. */
async function addModel(type: number, prefix: string): Promise<string> {
  const model = `${prefix}-${type}`;
  await gate.addChannel({ type, models: model });
  return model;
}

const twoCalls = (before: number) => expect(gate.upstream.requests.length - before).toBeGreaterThanOrEqual(2);

describe.runIf(isInstalled)('Codex', () => {
  // The client gives its own tools to models that it knows: a search for tools, programs as free text in a namespace.
  const names = ['codex', 'gpt-5.5', 'gpt-5.6-sol'];
  const models = upstreams.flatMap((upstream) => names.map((name) => ({ ...upstream, name })));
  // The last model only where its tools are translated: the played model does not support free text in Responses.
  it.each(models.slice(0, -1))(
    'reads a file as $name before an upstream of $protocol',
    async ({ type, name }) => {
      const model = await addModel(type, name);
      const home = join(folder, 'codex');
      await mkdir(home, { recursive: true });
      await writeFile(
        join(home, 'config.toml'),
        `model = "${model}"\nmodel_provider = "tollgate"\n[model_providers.tollgate]\nname = "Tollgate"\n` +
          `base_url = "${gate.url}/v1"\nenv_key = "TOLLGATE_KEY"\nwire_api = "responses"\n`,
      );
      const before = gate.upstream.requests.length;
      const flags = ['--json', '--skip-git-repo-check', '--dangerously-bypass-approvals-and-sandbox'];
      const output = await run('codex', ['exec', ...flags, 'What does note.txt say?'], {
        CODEX_HOME: home,
        TOLLGATE_KEY: key,
      });
      const message = output.split('\n').find((line) => line.includes('"agent_message"'));
      expect(message).toContain(secret);
      expect(output).toContain('"turn.completed"');
      twoCalls(before);
    },
  );
});

describe.runIf(isInstalled)('The Gemini CLI', () => {
  it.each(upstreams)('reads a file before an upstream of $protocol', async ({ type }) => {
    const model = await addModel(type, 'gemini-2.5-pro');
    await mkdir(join(folder, '.gemini'), { recursive: true });
    const settings = {
      security: { auth: { selectedType: 'gemini-api-key' } },
      privacy: { usageStatisticsEnabled: false },
      general: { disableAutoUpdate: true, disableUpdateNag: true },
    };
    await writeFile(join(folder, '.gemini/settings.json'), JSON.stringify(settings));
    const before = gate.upstream.requests.length;
    const flags = ['--skip-trust', '--yolo', '--output-format', 'json', '--model', model];
    const output = await run('gemini', [...flags, '--prompt', 'What does note.txt say?'], {
      GOOGLE_GEMINI_BASE_URL: gate.url,
      GEMINI_API_KEY: key,
    });
    const { response } = JSON.parse(output.slice(output.indexOf('{'))) as { response: string };
    expect(response).toContain(secret);
    twoCalls(before);
  });
});
