import { setImmediate as setImmediatePromise } from 'node:timers/promises';
import type { Core } from './core.ts';
import {
  createDeliveryQueue,
  createMailer,
  type DeliveryQueue,
  type Mail,
  type Mailer,
} from '../services/notify/index.ts';

/** What goes out to people. */
export interface Mails {
  mailer: Mailer;
  queue: DeliveryQueue;
  /** Hands a mail over behind the answer to the call that asks for it, whose time then does not tell of a mail. */
  send(mail: Mail): void;
  /** Resolves when everything that was handed over is on its way no more. */
  idle(): Promise<void>;
}

/** Opens the mailer and the queue of everything that goes out by itself. */
export function openMails({ settings, log }: Pick<Core, 'settings' | 'log'>): Mails {
  const mailer = createMailer({ settings });
  const queue = createDeliveryQueue({ log });
  return {
    mailer,
    queue,
    send(mail) {
      setImmediate(() => queue.add({ about: { mail: 'account' }, send: () => mailer.send(mail) }));
    },
    async idle() {
      await setImmediatePromise();
      await queue.idle();
    },
  };
}
