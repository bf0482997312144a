/** @module-tag deep */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { playModel } from '../../packages/server/src/testing/model/fake-model.ts';
import {
  json,
  type ModelBehaviour,
} from '../../packages/server/src/testing/upstream/fake-upstream-scripts.ts';
import { type GatewayHarness, openGateway } from '../../packages/server/src/testing/gateway-harness.ts';
import { addWire, asksToThink, type FarSide, type Wire, wires } from './wires.ts';

// Public conformance suites from the registries, as people run them, before the upstream of every wire (wires.ts):
// llm-comply (python/requirements.txt) and CompatCanary (package.json). docs/protocols.md has the table of their results.

const python = join(import.meta.dirname, 'python/venv/bin/python');
const canary = join(import.meta.dirname, 'node_modules/compatcanary/src/cli.js');
const hasComply = existsSync(join(import.meta.dirname, 'python/venv/installed.txt'));
const hasCanary = existsSync(canary);

const table: Readonly<Record<string, Wire>> = wires;
const wireNames = Object.keys(table);
/** llm-comply asks only models with such names for thoughts. */
const modelOf = (wire: string): string => `gpt-5-claude-sonnet-4-${wireNames.indexOf(wire)}`;

/** OpenAI's answer to a request for compaction. */
const compacted = {
  id: 'resp_compacted',
  object: 'response.compaction',
  created_at: 1_700_000_000,
  output: [{ id: 'cmp_1', type: 'compaction', encrypted_content: 'c2hvcnQ=' }],
  usage: {
    input_tokens: 40,
    input_tokens_details: { cached_tokens: 0 },
    output_tokens: 12,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: 52,
  },
};

/** A model that does what the suites ask for: it calls the first tool, thinks, and answers by the one schema. */
const model: ModelBehaviour = (exchange) => {
  if (exchange.path.endsWith('/compact')) return json(compacted)(exchange);
  const words = JSON.stringify(exchange.json());
  return playModel(({ tools: [tool] }) => {
    if (tool) {
      const fields = Object.keys((tool.schema['properties'] ?? {}) as object);
      return { call: tool.name, input: Object.fromEntries(fields.map((name) => [name, 'CANARY_OK'])) };
    }
    if (words.includes('compatibility status')) return { say: '{"status":"ok"}' };
    const say = 'Hello there, friend.';
    return asksToThink(words) ? { thought: 'Let me see.', say } : { say };
  })(exchange);
};

let gate: GatewayHarness;
let key: string;
const farSides: FarSide[] = [];

beforeAll(async () => {
  gate = await openGateway();
  await gate.core.settings.set('SelfUseModeEnabled', 'true');
  await gate.core.settings.set('StoredResponseDays', '1');
  for (const [name, wire] of Object.entries(table))
    farSides.push(await addWire(gate, wire, model, modelOf(name)));
  key = (await gate.addCaller({ balance: 500_000_000 })).key;
});
afterAll(async () => {
  await gate.close();
  for (const farSide of farSides) await farSide.close();
});

/** Standard output of a suite, which ends with 1 if a check fails. */
const outputOf = (command: string, args: string[]): Promise<string> =>
  new Promise((resolve, reject) =>
    execFile(command, args, (error, stdout, stderr) =>
      error && stdout === '' ? reject(new Error(stderr, { cause: error })) : resolve(stdout),
    ),
  );

/** Checks that failed, each with its first error, and the number of all. */
interface Verdict {
  failed: Record<string, string>;
  checks: number;
}

const google = ['--auth-header', 'x-goog-api-key', '--no-bearer'];
const anthropic = ['--auth-header', 'x-api-key', '--no-bearer', '-H', 'anthropic-version:2023-06-01'];
/** Format of llm-comply → the base of its addresses, its flags, its checks. */
const formats = {
  'openai-chat': ['/v1', [], 9],
  'open-responses': ['/v1', [], 13],
  anthropic: ['/v1', anthropic, 9],
  'google-genai': ['', google, 9],
  'google-interactions': ['', google, 9],
} as const;
type Format = keyof typeof formats;

async function comply(format: Format, wire: string): Promise<Verdict> {
  const [base, flags] = formats[format];
  const where = ['-u', `${gate.url}${base}`, '-k', key, '-m', modelOf(wire)];
  const args = ['-m', 'llm_comply.cli', '--json', '--format', format, ...where, ...flags];
  const { results } = JSON.parse(await outputOf(python, args)) as {
    results: { id: string; status: string; errors?: string[] }[];
  };
  const failed = results.filter(({ status }) => status !== 'passed');
  return {
    failed: Object.fromEntries(failed.map(({ id, status, errors }) => [id, errors?.[0] ?? status])),
    checks: results.length,
  };
}

/** Wires that no call can be demanded of, for want of an option for it or of tools at all. */
const takesNoDemand = [
  'Ollama itself',
  'the first API of Baidu',
  'the third API of Zhipu',
  'Spark',
  'Hunyuan',
];
const has = (wire: string, ability: 'images' | 'structured' | 'tools'): boolean =>
  table[wire]!.refused?.[ability] === undefined;

const refused = 'HTTP 400 (expected [200])';

/** Checks of llm-comply that a wire cannot pass: the call is refused by name, instead of answered with something else. */
const refusedOf = (format: Format, wire: string): Record<string, string> => {
  const prefix = { 'openai-chat': 'chat-', anthropic: 'anth-', 'google-genai': 'google-' };
  const named = (check: string) => `${format in prefix ? prefix[format as keyof typeof prefix] : ''}${check}`;
  return {
    ...(takesNoDemand.includes(wire) && { [named('tool-calling')]: refused }),
    ...(!has(wire, 'images') && { [named('image-input')]: refused }),
  };
};

describe.runIf(hasComply).each(wireNames)('llm-comply before %s', (wire) => {
  it.each(['openai-chat', 'anthropic', 'google-genai'] as const)('%s', async (format) => {
    expect(await comply(format, wire)).toEqual({
      failed: refusedOf(format, wire),
      checks: formats[format][2],
    });
  });

  it('open-responses', async () => {
    expect(await comply('open-responses', wire)).toEqual({
      failed: refusedOf('open-responses', wire),
      checks: formats['open-responses'][2],
    });
  });
});

it.runIf(hasComply)('llm-comply of Google’s Interactions, which are not offered', async () => {
  const { failed, checks } = await comply('google-interactions', 'Gemini');
  expect([Object.keys(failed), checks]).toEqual([
    expect.objectContaining({ length: checks }),
    formats['google-interactions'][2],
  ]);
  expect(Object.values(failed)).toEqual(
    expect.arrayContaining(['HTTP 501 (expected [200])', 'HTTP 501 (expected [400, 422])']),
  );
});

describe.runIf(hasCanary)('CompatCanary', () => {
  it.each(wireNames)('before %s', async (wire) => {
    const where = ['--base-url', `${gate.url}/v1`, '--model', modelOf(wire), '--api-key', key];
    const flags = ['--format', 'json', '--fail-on', 'never'];
    const report = await outputOf(process.execPath, [canary, 'scan', ...where, ...flags]);
    const { results } = JSON.parse(report) as { results: { id: string; status: string; summary: string }[] };
    const failed = results.filter(({ status }) => status !== 'pass');
    const takesCall = has(wire, 'tools') && wire !== 'Ollama itself';
    expect([Object.fromEntries(failed.map(({ id, summary }) => [id, summary])), results.length]).toEqual([
      {
        ...(!takesCall && { 'chat.tool_call': 'HTTP 400 from /chat/completions' }),
        ...(!has(wire, 'structured') && {
          'chat.structured_output': 'HTTP 400 from /chat/completions',
        }),
      },
      7,
    ]);
  });
});

it.runIf(hasComply || hasCanary)('the suites leave no hold open and the books consistent', async () => {
  await expect.poll(() => gate.openHolds()).toBe(0);
  await gate.core.ledger.flush();
  expect(await gate.findings()).toEqual([]);
});
