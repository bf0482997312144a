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
  /** Hands a mail over; nobody waits until it is sent. */
  send(mail: Mail): void;
}

/** Opens the mailer and the queue of everything that goes out by itself. */
export function openMails({ settings, log }: Pick<Core, 'settings' | 'log'>): Mails {
  const mailer = createMailer({ settings });
  const queue = createDeliveryQueue({ log });
  return {
    mailer,
    queue,
    send: (mail) => void queue.add({ about: { mail: 'account' }, send: () => mailer.send(mail) }),
  };
}
