import { AppError } from '@tollgate/contract';
import type { Http } from '../../lib/outbound/http.ts';
import type { Log } from '../../lib/log.ts';
import type { Settings } from '../settings/index.ts';

export interface HumanCheckDeps {
  settings: Pick<Settings, 'get'>;
  http: Pick<Http, 'request'>;
  log: Log;
  /** Origin of the check's service (TURNSTILE_URL). */
  serviceUrl: string;
}

/** Where answers are verified (docs/compatibility.md#mail). */
const verifyPath = '/turnstile/v0/siteverify';
const timeoutMs = 5_000;
const maxAnswerBytes = 64 * 1024;

/** True when the verifier's answer says so; anything else, broken JSON too, is a no. */
function isSuccess(body: Buffer): boolean {
  try {
    const parsed: unknown = JSON.parse(body.toString('utf8'));
    return typeof parsed === 'object' && parsed !== null && 'success' in parsed && parsed.success === true;
  } catch {
    return false;
  }
}

/**
 * Checks that a person calls and not a program, while the option is on. Throws `human_check_missing` or
 * `human_check_failed`; a verifier that cannot be reached is a failure too, or blocking it would let everyone in.
 */
export async function checkHuman(deps: HumanCheckDeps, answer: string, ip: string): Promise<void> {
  const { settings, http, log, serviceUrl } = deps;
  if (!settings.get('TurnstileCheckEnabled')) return;
  if (answer === '') throw new AppError('human_check_missing');
  const form = new URLSearchParams({
    secret: settings.get('TurnstileSecretKey'),
    response: answer,
    remoteip: ip,
  });
  let verified = false;
  try {
    const reply = await http.request(
      {
        method: 'POST',
        url: `${serviceUrl}${verifyPath}`,
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
        body: Buffer.from(form.toString()),
        // The address is the operator's, from the environment.
        scope: 'operator',
        headersTimeoutMs: timeoutMs,
        bodyTimeoutMs: timeoutMs,
      },
      maxAnswerBytes,
    );
    verified = reply.status === 200 && isSuccess(reply.body);
  } catch (error) {
    log.warn({ err: error }, 'the human check could not be verified');
  }
  if (!verified) throw new AppError('human_check_failed');
}
