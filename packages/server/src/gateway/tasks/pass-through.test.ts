import { EventEmitter } from 'node:events';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { type AnswerSink, ClientStream } from '../call/index.ts';
import { sendParts } from './pass-through.ts';

/** A caller that is full after each piece until it reads. */
class SlowCaller extends EventEmitter implements AnswerSink {
  headersSent = false;
  writableEnded = false;
  writableFinished = false;
  destroyed = false;
  readonly pieces: string[] = [];

  writeHead(): void {
    this.headersSent = true;
  }

  write(chunk: Buffer): boolean {
    this.pieces.push(chunk.toString());
    return false;
  }

  addTrailers(): void {
    // Not needed here.
  }

  end(): void {
    this.writableEnded = true;
    this.writableFinished = true;
  }

  destroy(): void {
    this.destroyed = true;
    this.emit('close');
  }
}

describe('parts for a slow caller', () => {
  const open = () => {
    const caller = new SlowCaller();
    const client = new ClientStream(caller);
    client.open();
    let read = 0;
    const parts = async function* (): AsyncGenerator<Buffer> {
      for (const name of ['a', 'b', 'c']) {
        read += 1;
        yield Buffer.from(name);
        await nextTurn();
      }
    };
    return { caller, sent: sendParts(client, {}, parts()), read: () => read };
  };
  const turns = async () => {
    for (let turn = 0; turn < 10; turn += 1) await nextTurn();
  };

  it('are read one by one as the caller reads', async () => {
    const { caller, sent, read } = open();
    for (const count of [1, 2, 3]) {
      await turns();
      expect([read(), caller.pieces.length, caller.writableEnded]).toEqual([count, count, false]);
      caller.emit('drain');
    }
    await sent;
    expect([caller.pieces, caller.writableEnded]).toEqual([['a', 'b', 'c'], true]);
  });

  it('are not read any more once the caller has left', async () => {
    const { caller, sent, read } = open();
    await turns();
    caller.destroy();
    await sent;
    expect([read(), caller.pieces]).toEqual([2, ['a']]);
  });
});
