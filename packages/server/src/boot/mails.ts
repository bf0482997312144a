import { setImmediate as setImmediatePromise } from 'node:timers/promises';
import type { Core } from './core.ts';
import {
  createDeliveryQueue,
  createMailer,
  type DeliveryQueue,
  type Mail,
  type Mailer,
} from '../services/site/notify/index.ts';

/** Outgoing messages to users. */
export interface Mails {
  mailer: Mailer;
  queue: DeliveryQueue;
  /**
   * Queues a mail after the answer to the call that causes it, so that the response time does not reveal whether
   * there was one.
   */
  send(mail: Mail): void;
  /** Resolves when all queued messages were sent or have failed. */
  idle(): Promise<void>;
}

/** Opens the mailer and the queue of automatic messages. */
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
