import type { Frame, FrameHandler, FrameLink } from '../../lib/websocket/frame-socket.ts';
import { isObject, type JsonObject } from '../../lib/json.ts';
import type { LocalConversation, LocalEvent } from '../../relay/types/index.ts';

/** Queued events above which the caller should wait. */
const maxQueued = 100;

/** A realtime server in the process (the sandbox), used like one behind a socket. */
export class LocalLink implements FrameLink {
  private readonly conversation: LocalConversation;
  private handler: FrameHandler | undefined;
  private queue: LocalEvent[];
  private timer: NodeJS.Timeout | undefined;
  private isPaused = true;
  private isClosed = false;

  constructor(conversation: LocalConversation) {
    this.conversation = conversation;
    this.queue = [{ delayMs: 0, event: conversation.greet() }];
  }

  get isFull(): boolean {
    return this.queue.length > maxQueued;
  }

  listen(handler: FrameHandler): void {
    this.handler = handler;
    this.resume();
  }

  send({ data, isBinary }: Frame): void {
    const event = isBinary ? undefined : parse(data);
    if (!event) return;
    this.queue.push(...this.conversation.hear(event));
    this.sendNext();
  }

  pause(): void {
    this.isPaused = true;
  }

  resume(): void {
    this.isPaused = false;
    this.sendNext();
  }

  private sendNext(): void {
    const next = this.queue[0];
    if (!next || this.isPaused || this.timer || this.isClosed) return;
    // Even without a delay the event is delivered in a later turn of the loop, as it would be from a socket.
    this.timer = setTimeout(() => {
      this.timer = undefined;
      if (this.isPaused || this.isClosed) return;
      this.emit(next);
    }, next.delayMs);
  }

  private emit({ event }: LocalEvent): void {
    const wasFull = this.isFull;
    this.queue.shift();
    if (event === 'cut') {
      this.isClosed = true;
      this.handler?.onClose(1006, '');
      return;
    }
    this.handler?.onFrame({ data: Buffer.from(JSON.stringify(event)), isBinary: false });
    if (wasFull && !this.isFull) this.handler?.onRoom();
    this.sendNext();
  }

  close(): Promise<void> {
    this.isClosed = true;
    clearTimeout(this.timer);
    return Promise.resolve();
  }
}

function parse(data: Buffer): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(data.toString());
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
