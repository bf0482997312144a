import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { faultPoint, faultPoints, parseFaults } from './fault-point.ts';

const module = fileURLToPath(new URL('./fault-point.ts', import.meta.url));

/** Runs a few lines in a separate process with faults; returns its output and exit status. */
function runWith(faults: string, lines: string, timeout = 10_000) {
  const script = `
    import { armFaults, faultPoint, parseFaults } from ${JSON.stringify(module)};
    armFaults(parseFaults(${JSON.stringify(faults)}));
    ${lines}`;
  const done = spawnSync(process.execPath, ['--input-type=module-typescript', '-e', script], {
    encoding: 'utf8',
    timeout,
    killSignal: 'SIGTERM',
  });
  return { printed: done.stdout.trim(), signal: done.signal, status: done.status };
}

describe('a fault point', () => {
  it('does nothing in a process that was not started with faults', () => {
    for (const point of faultPoints) expect(() => faultPoint(point)).not.toThrow();
  });

  it('kills at its configured pass, and at no other point', () => {
    const lines = `for (let i = 1; i <= 5; i += 1) { faultPoint('before-settle'); process.stdout.write(String(i)); faultPoint('answer-flowing'); }`;
    expect(runWith('answer-flowing:kill:3', lines)).toEqual({
      printed: '123',
      signal: 'SIGKILL',
      status: null,
    });
  });

  it('throws once, delays every pass', () => {
    const lines = `
      const before = performance.now();
      for (let i = 1; i <= 3; i += 1) { faultPoint('settlement-queued'); try { faultPoint('request-arrived'); } catch { process.stdout.write('caught' + i); } }
      process.stdout.write(performance.now() - before >= 60 ? ' late' : ' early');`;
    expect(runWith('request-arrived:throw:2,settlement-queued:delay:20', lines)).toMatchObject({
      printed: 'caught2 late',
      status: 0,
    });
  });

  it('blocks for ever', () => {
    const lines = `setTimeout(() => process.stdout.write('late'), 10); process.stdout.write('here'); faultPoint('before-hold');`;
    expect(runWith('before-hold:hang:1', lines, 1_000)).toMatchObject({ printed: 'here', signal: 'SIGTERM' });
  });

  it.each([
    'K99:kill:1',
    'answer-flowing:explode:1',
    'answer-flowing:kill:0',
    'answer-flowing:kill:x',
    'answer-flowing',
    '',
  ])('is not %s', (text) => {
    expect(() => parseFaults(text)).toThrow(/not <point>/);
  });
});
