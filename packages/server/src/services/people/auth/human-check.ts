import { AppError } from '@tollgate/contract';
import type { Http } from '../../../lib/outbound/http.ts';
import type { Log } from '../../../lib/log.ts';
import type { Settings } from '../../site/settings/index.ts';

export interface HumanCheckDeps {
  settings: Pick<Settings, 'get'>;
  http: Pick<Http, 'request'>;
  log: Log;
  /** Origin of the check's service (TURNSTILE_URL). */
  serviceUrl: string;
}

/** The verification endpoint (docs/compatibility.md#mail). */
const verifyPath = '/turnstile/v0/siteverify';
const timeoutMs = 5_000;
const maxAnswerBytes = 64 * 1024;

/** True if the verifier confirms it; false for any other answer, including invalid JSON. */
function isSuccess(body: Buffer): boolean {
  try {
    const parsed: unknown = JSON.parse(body.toString('utf8'));
    return typeof parsed === 'object' && parsed !== null && 'success' in parsed && parsed.success === true;
  } catch {
    return false;
  }
}

/**
 * Checks that the caller is a person, if the option is on. Throws `human_check_missing` or `human_check_failed`. If the
 * verifier cannot be reached, the check fails, because otherwise blocking the verifier would bypass it.
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
        // The address is set by the operator in the environment.
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
