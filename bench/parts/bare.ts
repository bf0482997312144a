import { join } from 'node:path';
import { start, type Running } from './process.ts';
import { type Subject, upstreamPorts } from './subject.ts';

/** Starts the bare proxy before the upstream's ports: what Node itself costs, as a floor beneath the gateway's figures. */
export async function startBare(
  port: number,
  upstream: number,
  core: number,
): Promise<Subject & { running: Running }> {
  const program = join(import.meta.dirname, 'bare-proxy.ts');
  const count = Object.keys(upstreamPorts).length;
  const args = ['--max-semi-space-size=16', program, String(port), String(upstream), String(count)];
  const running = start(process.execPath, args, { core });
  await running.line('listening', 5_000);
  return {
    name: 'node',
    key: 'none',
    port: (mode) => port + upstreamPorts[mode],
    pids: [running.pid],
    running,
  };
}
