import { spawnSync } from 'node:child_process';
import { EventEmitter, once } from 'node:events';
import type { Readable } from 'node:stream';

/** Output of a process, as it arrives. */
export interface Printed {
  text(): string;
  /** Waits for a pattern in the output; returns the first match. If the process ends without one, throws the output. */
  match(pattern: RegExp): Promise<RegExpExecArray>;
}

/** Reads the output of a process. */
export function readPrinted(...streams: Readable[]): Printed {
  let text = '';
  let open = streams.length;
  const news = new EventEmitter().setMaxListeners(0);
  for (const stream of streams) {
    stream.setEncoding('utf8').on('data', (piece: string) => {
      text += piece;
      news.emit('more');
    });
    stream.on('end', () => {
      open -= 1;
      news.emit('more');
    });
  }
  return {
    text: () => text,
    async match(pattern) {
      for (;;) {
        const found = pattern.exec(text);
        if (found) return found;
        if (open === 0) throw new Error(`ended without ${pattern.source}:\n${text}`);
        await once(news, 'more');
      }
    },
  };
}

/** Sets a new site up with the sandbox; returns the first API key. */
export async function setUp(url: string, token: string): Promise<string> {
  const answer = await fetch(`${url}/api/setup`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      username: 'root',
      password: 'harvest-lantern-42',
      confirmPassword: 'harvest-lantern-42',
      token,
      sandbox: true,
    }),
  });
  const { success, message, data } = (await answer.json()) as SetupAnswer;
  if (!success) throw new Error(message);
  return `sk-${data.key}`;
}

interface SetupAnswer {
  success: boolean;
  message: string;
  data: { key: string };
}

/** True if a program can be run on this machine. */
export const hasProgram = (name: string): boolean =>
  spawnSync('sh', ['-c', `command -v ${name}`]).status === 0;
