import { join } from 'node:path';
import { nodeFlags, start, type Running } from './process.ts';
import { type Subject, upstreamPorts } from './subject.ts';

/** Starts the proxy that only holds and settles, as the cost of durable money without anything more. */
export const startFloor = (port: number, upstream: number, core: number, folder: string) =>
  startProxy('floor', 'floor-proxy.ts', { port, upstream, core, folder });

/** Starts the bare proxy in front of the upstream's ports, as the cost of Node itself and the lower limit of the gateway's figures. */
export const startBare = (port: number, upstream: number, core: number) =>
  startProxy('node', 'bare-proxy.ts', { port, upstream, core, folder: '' });

async function startProxy(
  name: 'node' | 'floor',
  file: string,
  { port, upstream, core, folder }: { port: number; upstream: number; core: number; folder: string },
): Promise<Subject & { running: Running }> {
  const program = join(import.meta.dirname, file);
  const count = Object.keys(upstreamPorts).length;
  const args = [...nodeFlags, program, String(port), String(upstream), String(count), folder];
  const running = start(process.execPath, args, { core });
  await running.line('listening', 10_000);
  return {
    name,
    key: 'none',
    port: (mode) => port + upstreamPorts[mode],
    pids: [running.pid],
    running,
  };
}
