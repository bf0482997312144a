import { faultPoint } from '../../../lib/fault-point.ts';
import type { Log } from '../../../lib/log.ts';
import type { Payments } from '../../../services/money/payments/index.ts';
import type { Served } from '../../answer.ts';
import { isSignedBody, type MountedRoute } from '../../implement.ts';

export interface NotifyRouteDeps {
  payments: Pick<Payments, 'notify' | 'notifyStripe'>;
  log: Log;
}

/** Epay providers expect exactly this text; after any other they call again. */
const accepted: Served = { status: 200, body: 'success' };
const refused: Served = { status: 200, body: 'fail' };
/** An internal error: the provider must call again. */
const failed: Served = { status: 500, body: 'fail' };

async function answer(fields: unknown, { payments, log }: NotifyRouteDeps): Promise<Served> {
  try {
    const credit = await payments.notify(fields);
    faultPoint('callback-committed');
    return credit.done ? accepted : refused;
  } catch (error) {
    log.error(
      { err: error },
      'a payment callback could not be carried out; the provider is told to come again',
    );
    return failed;
  }
}

/**
 * A webhook of Stripe, which calls again for three days after any answer but 2xx. What is genuine and cannot be credited
 * would not get better by that.
 */
async function answerStripe(body: unknown, { payments, log }: NotifyRouteDeps): Promise<Served> {
  const { text = '', signature = '' } = isSignedBody(body) ? body : {};
  try {
    const credit = await payments.notifyStripe(text, signature);
    faultPoint('callback-committed');
    return credit === null ? { status: 400, body: 'wrong signature' } : { status: 200, body: 'received' };
  } catch (error) {
    log.error({ err: error }, 'a webhook of Stripe could not be carried out; it is told to come again');
    return failed;
  }
}

/**
 * Receives payments from the payment provider (docs/compatibility.md#online-top-up): plain text, by GET and by POST
 * form. `success` is sent only after the credit is committed. A field that is in both the address and the form is
 * refused.
 */
export const notifyRoutes = (deps: NotifyRouteDeps): MountedRoute[] => {
  const at = { path: '/api/user/epay/notify', access: 'public' } as const;
  return [
    { ...at, method: 'GET', serve: ({ query }) => answer(query, deps) },
    // Payments are credited on a demo site as well.
    { ...at, method: 'POST', demo: true, serve: ({ body }) => answer(body, deps) },
    {
      path: '/api/stripe/webhook',
      access: 'public',
      method: 'POST',
      demo: true,
      serve: ({ body }) => answerStripe(body, deps),
    },
  ];
};
