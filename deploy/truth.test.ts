/** @module-tag deep */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, expect, it } from 'vitest';
import { faultsOf, type Truth, truthTable } from '../bench/cases/truth.ts';
import { freePorts } from '../bench/parts/process.ts';

const root = join(import.meta.dirname, '..');
const folder = mkdtempSync(join(tmpdir(), 'truth-'));
let other: ChildProcess | undefined;

afterAll(() => {
  other?.kill('SIGKILL');
  rmSync(folder, { recursive: true, force: true });
});

it.skipIf(process.platform !== 'linux')(
  '`npm run truth` finds no fault in this product, and finds those of a gateway that charges behind its calls',
  async () => {
    const port = await freePorts(2);
    const program = [
      join(root, 'deploy/support/post-paid.ts'),
      String(port),
      String(port + 1),
      join(folder, 'books'),
    ];
    other = spawn(process.execPath, program);
    const beside = [
      `--url=http://127.0.0.1:${port}`,
      '--key=rich',
      '--model=any',
      `--upstream-port=${port + 1}`,
    ];
    const again = `--restart=${[process.execPath, ...program].join(' ')}`;
    const sizes = ['--calls=60', '--streams=24', '--kills=1', '--quiet=2.5', '--json'];
    const words = ['run', '--silent', 'truth', '--', ...beside, '--poor-key=poor,poorer', again, ...sizes];
    const run = spawn('npm', words, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] });
    const [printed, errors] = await Promise.all([text(run.stdout), text(run.stderr), once(run, 'exit')]);
    expect([run.exitCode, errors]).toEqual([0, '']);

    const truths = JSON.parse(printed) as Truth[];
    expect(truths.map(({ name }) => name)).toEqual(['Tollgate', 'beside']);
    const [own, paidLater] = truths as [Truth, Truth];
    expect(faultsOf(own)).toEqual([]);
    // It does not only refuse calls: ten calls are paid for, and nine or ten are answered.
    for (const each of own.overspend) expect(each.answered).toBeGreaterThan(8);
    expect(own.kill!.whole).toBeGreaterThan(0);
    expect(own.kill!.broken).toBeGreaterThan(0);
    expect(own.kill!.share).toBeGreaterThan(0);

    expect(faultsOf(paidLater)).toEqual([
      expect.stringMatching(/^calls on a balance for 10 delivered [1-9]\d/),
      expect.stringMatching(/^streams on a balance for 10 delivered [1-9]\d/),
      expect.stringContaining('were not charged after a kill'),
    ]);
    expect(truthTable(truths)).toMatch(/answered \| (?:9|10) of 6[12] \| [2-8]\d of [6-8]\d \|/);
  },
);
