import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { childrenOf } from './process.ts';
import { modelOf, type Subject, upstreamPorts, type UpstreamMode } from './subject.ts';

/** A running gateway on this machine, with its channels to the bench's upstream. */
export interface BesideOptions {
  /** Address before `/v1/chat/completions`, without `/v1`. */
  url: string;
  key: string;
  /** Prefix of each model's name: `openai/`. */
  modelPrefix: string;
  /** The measured process, with its children; undefined for the process that listens on the port. */
  pid: number | undefined;
}

/** The owner's set-up, by the modes of the upstream. */
export const besideChannels = (upstream: number): string =>
  (['json', 'once', 'paced', 'slow', 'thinking'] satisfies UpstreamMode[])
    .map((mode) => `  ${modelOf[mode].padEnd(14)} http://127.0.0.1:${upstream + upstreamPorts[mode]}/v1`)
    .join('\n');

/** The processes that listen on a TCP port of this machine, by the sockets that the kernel lists. */
function listenersOn(port: number): number[] {
  const hex = port.toString(16).toUpperCase().padStart(4, '0');
  const sockets = new Set(
    ['/proc/net/tcp', '/proc/net/tcp6'].flatMap((table) =>
      readFileSync(table, 'utf8')
        .split('\n')
        .map((line) => line.trim().split(/\s+/))
        // 0A is LISTEN.
        .filter(([, local, , state]) => local?.endsWith(`:${hex}`) && state === '0A')
        .map((fields) => `socket:[${fields[9]}]`),
    ),
  );
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => openFilesOf(pid).some((file) => sockets.has(file)));
}

/** Empty for a process that has ended or belongs to another user. */
function openFilesOf(pid: number): string[] {
  try {
    const folder = `/proc/${pid}/fd`;
    return readdirSync(folder).map((name) => readlinkSync(`${folder}/${name}`));
  } catch {
    return [];
  }
}

const withChildren = (pid: number): number[] => [pid, ...childrenOf(pid).flatMap(withChildren)];

/** The gateway as a subject. Throws if no process visible to this user listens on its port. */
export function findBeside({ url, key, modelPrefix, pid }: BesideOptions): Subject {
  const { hostname, port, pathname } = new URL(url);
  if (!['127.0.0.1', 'localhost'].includes(hostname)) throw new Error(`${url} is not on this machine`);
  const number = Number(port) || 80;
  const pids = new Set((pid === undefined ? listenersOn(number) : [pid]).flatMap(withChildren));
  if (pids.size === 0) throw new Error(`no process of yours listens on port ${number}`);
  return {
    name: 'beside',
    key,
    pids: [...pids],
    port: () => number,
    pathPrefix: pathname.replace(/\/$/, ''),
    modelPrefix,
  };
}
