/** @module-tag deep */
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { playModel } from '../../packages/server/src/testing/model/fake-model.ts';
import { textOfPart } from '../../packages/web/src/shared/snippets/setups.ts';
import { type GatewayHarness, openGateway } from '../../packages/server/src/testing/gateway-harness.ts';
import { type Agent, agents, isShell, type Protocol, runs, type Task } from './agents.ts';

// Coding agents as people install them, with Tollgate's address and a key (agents.ts): each reads a file with a tool of
// its own and reports its content, before an upstream of each protocol.

/** Upstream → the type of its channels. */
const upstreams = { chat: 31, Responses: 1, Messages: 14, Gemini: 24 } as const;
const upstreamNames = Object.keys(upstreams) as Protocol[];
const secret = 'the password is heron';

/** On a busy machine Qwen Code and the Gemini CLI can lose the output of a command that ends at once. */
const reading = ({ name }: { name: string }): string =>
  name === 'run_shell_command' ? 'cat note.txt; sleep 0.5' : 'cat note.txt';

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
      if (tools.length === 0) return { say: `seen.txt\n\`\`\`\n${secret}\n\`\`\`\n` };
      const shell = tools.find(isShell);
      if (!shell) return { say: 'There is no tool to run commands.' };
      if (results.length > 0) return { say: `I read: ${results.join('\n')}` };
      return { call: shell.name, input: runs(reading(shell), shell) };
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

/** Runs an agent in the folder with the note; returns its output. */
function run({ program, isScript, env, parts }: Agent, args: string[], task: Task): Promise<string> {
  const variables = Object.fromEntries(
    parts(task).flatMap((part) => (part.kind === 'env' ? Object.entries(part.values) : [])),
  );
  return new Promise((resolve, reject) => {
    const command = isScript ? [process.execPath, program, ...args] : [program, ...args];
    const child = spawn(command[0]!, command.slice(1), {
      cwd: join(folder, 'work'),
      env: { PATH: process.env['PATH'], HOME: task.home, ...env, ...variables },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let output = '';
    child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
    child.stderr.on('data', (chunk: Buffer) => (output += chunk.toString()));
    child.on('error', reject);
    child.on('close', (code) =>
      code === 0 ? resolve(output) : reject(new Error(`${program} ended with ${code}:\n${output}`)),
    );
  });
}

/** Models with a channel, and agents that are set up. */
const prepared = new Set<string>();

/** Runs the command that stores address and key, with a data folder of its own. */
async function logIn(agent: Agent, task: Task): Promise<void> {
  const [command] = agent.parts(task).map(textOfPart);
  await run(agent, [...command!.trim().split(' ').slice(1), '--data-dir', join(task.home, 'cline')], task);
}

/** A whole turn; returns what the agent said, or the file that it wrote. */
async function turn(name: string, protocol: Protocol, upstream: Protocol, model: string): Promise<string> {
  const agent = agents[name]!;
  const home = join(folder, name);
  const prompt = agent.writesFiles ? 'Write the note into seen.txt.' : 'What does note.txt say?';
  const task: Task = { url: gate.url, key, model, protocol, prompt, home };
  if (!prepared.has(model)) await gate.addChannel({ type: upstreams[upstream], models: model });
  prepared.add(model);
  const files = Object.entries(agent.settings ?? {});
  for (const part of agent.parts(task))
    if (part.kind === 'file') files.push([part.path.replace('~/', ''), part.text]);
  for (const [path, text] of files) {
    await mkdir(dirname(join(home, path)), { recursive: true });
    await writeFile(join(home, path), text);
  }
  await mkdir(home, { recursive: true });
  if (name === 'Cline' && !prepared.has(name)) await logIn(agent, task);
  prepared.add(name);
  const before = gate.upstream.requests.length;
  const said = await run(agent, agent.args(task), task);
  expect(gate.upstream.requests.length - before).toBeGreaterThanOrEqual(agent.writesFiles ? 1 : 2);
  if (!agent.writesFiles) return said;
  const file = join(folder, 'work/seen.txt');
  const written = await readFile(file, 'utf8');
  await rm(file);
  return written;
}

/**
 * The pairs of an agent's protocol and an upstream: every upstream. An agent with several protocols speaks each of them to an
 * upstream of another one; pi, which starts fastest, speaks each to all.
 */
function pairsOf(name: string): [Protocol, Protocol][] {
  const { protocols } = agents[name]!;
  const speaks = (at: number): readonly Protocol[] =>
    name === 'pi' ? protocols : [protocols[(at + 1) % protocols.length]!];
  return upstreamNames.flatMap((upstream, at) =>
    speaks(at).map((protocol): [Protocol, Protocol] => [protocol, upstream]),
  );
}

/** Models for which Codex has tools of its own: a search for tools, programs as free text in a namespace. */
const modelsOf = (name: string, upstream: Protocol): string[] => {
  if (name === 'Gemini CLI') return ['gemini-2.5-pro'];
  if (name !== 'Codex') return ['agent'];
  // The last model only where its tools are translated: the played model does not support free text in Responses.
  return upstream === 'Responses' ? ['codex', 'gpt-5.5'] : ['codex', 'gpt-5.5', 'gpt-5.6-sol'];
};

describe.each(Object.entries(agents))('%s', (name, { program }) => {
  const turns = pairsOf(name).flatMap(([protocol, upstream]) =>
    modelsOf(name, upstream).map((model) => ({ protocol, upstream, model })),
  );
  it.runIf(existsSync(program)).each(turns)(
    'reads a file in $protocol before an upstream of $upstream, as $model',
    async ({ protocol, upstream, model }) => {
      expect(await turn(name, protocol, upstream, `${model}-${upstream.toLowerCase()}`)).toContain(secret);
    },
  );
});
