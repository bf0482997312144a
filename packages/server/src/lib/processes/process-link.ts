import { timeoutAfterReads } from './timeout-after-reads.ts';

/** Transports messages to another process of Tollgate, in the order in which they were sent. */
export interface Carrier {
  send(messages: unknown[]): void;
  /** Calls `hear` with each message of the other side. */
  listen(hear: (messages: unknown) => void): void;
}

/** A function that the other side may call. Its errors reach the caller as an Error with the same message. */
export type Offer = (...given: unknown[]) => unknown;

type Message =
  | readonly [kind: 'ask', id: number, name: string, given: unknown[]]
  | readonly [kind: 'notice', name: string, given: unknown[]]
  | readonly [kind: 'answer', id: number, value: unknown]
  | readonly [kind: 'failure', id: number, words: string];

interface Waiting {
  resolve: (value: unknown) => void;
  reject: (error: Error) => void;
}

/**
 * One end of a link between two processes of Tollgate: each side calls functions that the other offers. All calls of
 * one turn of the event loop are sent in one message, because a message costs more than its content.
 */
export class ProcessLink {
  private readonly carrier: Carrier;
  private readonly offers = new Map<string, Offer>();
  private readonly waiting = new Map<number, Waiting>();
  private unsent: Message[] = [];
  private asked = 0;
  private broken: Error | undefined;

  constructor(carrier: Carrier) {
    this.carrier = carrier;
    carrier.listen((messages) => {
      for (const message of messages as Message[]) this.hear(message);
    });
  }

  /** Offers a function under a name; must be called before the other side can use it. */
  offer(name: string, work: Offer): void {
    this.offers.set(name, work);
  }

  /** Calls the other side; rejects with its error message if it fails, and when the link is cut. */
  ask(name: string, ...given: unknown[]): Promise<unknown> {
    if (this.broken) return Promise.reject(this.broken);
    const id = (this.asked += 1);
    return new Promise((resolve, reject) => {
      this.waiting.set(id, { resolve, reject });
      this.send(['ask', id, name, given]);
    });
  }

  /** As `ask`, with a timeout: rejects if there is no answer within `ms`. */
  async askWithin(ms: number, name: string, ...given: unknown[]): Promise<unknown> {
    let cancel: (() => void) | undefined;
    const late = new Promise<never>((_resolve, reject) => {
      const refuse = (): void => reject(new Error(`the other process does not answer within ${ms} ms`));
      cancel = timeoutAfterReads(ms, refuse);
    });
    try {
      return await Promise.race([this.ask(name, ...given), late]);
    } finally {
      cancel?.();
    }
  }

  /** Calls a function of the other side without waiting for a result. */
  notify(name: string, ...given: unknown[]): void {
    if (!this.broken) this.send(['notice', name, given]);
  }

  /** The other process has ended: all waiting and later calls are rejected with the reason. */
  cut(reason: Error): void {
    this.broken = reason;
    this.unsent = [];
    for (const { reject } of this.waiting.values()) reject(reason);
    this.waiting.clear();
  }

  private send(message: Message): void {
    this.unsent.push(message);
    if (this.unsent.length > 1) return;
    setImmediate(() => {
      const messages = this.unsent;
      this.unsent = [];
      if (messages.length > 0 && !this.broken) this.carrier.send(messages);
    });
  }

  private hear(message: Message): void {
    switch (message[0]) {
      case 'ask':
        void this.answer(message[1], message[2], message[3]);
        return;
      case 'notice':
        this.offers.get(message[1])?.(...message[2]);
        return;
      case 'answer':
        this.take(message[1])?.resolve(message[2]);
        return;
      case 'failure':
        this.take(message[1])?.reject(new Error(message[2]));
    }
  }

  private take(id: number): Waiting | undefined {
    const waiting = this.waiting.get(id);
    this.waiting.delete(id);
    return waiting;
  }

  private async answer(id: number, name: string, given: unknown[]): Promise<void> {
    try {
      const work = this.offers.get(name);
      if (!work) throw new Error(`nothing is offered as ${name}`);
      const value: unknown = await work(...given);
      if (!this.broken) this.send(['answer', id, value]);
    } catch (error) {
      const words = error instanceof Error ? error.message : String(error);
      if (!this.broken) this.send(['failure', id, words]);
    }
  }
}
