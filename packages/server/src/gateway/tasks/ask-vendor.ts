import { scrub } from '../../lib/scrub.ts';
import {
  type Channel,
  type Provider,
  type RelayError,
  secretsOf,
  type TaskQuestion,
} from '../../relay/types/index.ts';
import { overriddenHeaders } from '../../relay/header-override.ts';
import { hopHeader } from '../call/index.ts';
import { unanswered } from '../upstream/index.ts';
import type { TaskDeps } from './deps.ts';

/** Limits for a list of tasks with all results; videos and images are fetched separately. */
const maxAnswerBytes = 16 * 1024 * 1024;

/** A vendor that answers in drops must not keep the polls of others waiting: time for a whole answer, in timeouts. */
const wholeTimes = 4;

interface VendorRequest {
  provider: Provider;
  channel: Channel;
  question: TaskQuestion;
  timeoutMs: number;
  /** Most bytes of the answer; 16 MB by default. */
  maxBytes?: number;
  /** In addition to those of the request. */
  headers?: Record<string, string> | undefined;
}

/** Queries a vendor about tasks, or the sandbox in this process; throws RelayError if there is no answer. */
export async function askVendor(
  { gateway }: Pick<TaskDeps, 'gateway'>,
  { provider, channel, question, timeoutMs, headers, maxBytes = maxAnswerBytes }: VendorRequest,
): Promise<{ status: number; body: Buffer }> {
  const local = provider.tasks?.local;
  if (local) return local(question, gateway.clock());
  try {
    const { status, body } = await gateway.http.request(
      {
        ...question,
        headers: { ...vendorHeaders(question, channel), ...headers },
        scope: 'operator',
        proxy: channel.setting.proxy,
        headersTimeoutMs: timeoutMs,
        bodyTimeoutMs: timeoutMs,
      },
      maxBytes,
      AbortSignal.timeout(wholeTimes * timeoutMs),
    );
    return { status, body };
  } catch (cause) {
    throw unanswered('upstream_unreachable', cause);
  }
}

/** With the channel's own headers, if the request goes to the channel's address; a poll may go to an address from an answer. */
export function vendorHeaders(
  { url, headers }: Pick<TaskQuestion, 'url' | 'headers'>,
  channel: Channel,
): Record<string, string> {
  const isOwn = channel.headerOverride && URL.parse(url)?.origin === URL.parse(channel.baseUrl)?.origin;
  return { ...(isOwn ? overriddenHeaders(headers, channel, {}).headers : headers), [hopHeader]: '1' };
}

/** A vendor's error without secrets that the caller must not see. */
export function withoutSecrets(error: RelayError, provider: Provider, channel: Channel): RelayError {
  const ofHeaders = channel.headerOverride ? overriddenHeaders({}, channel, {}).secrets : [];
  const secrets = [...secretsOf(provider, channel), ...ofHeaders].filter((secret) => secret !== '');
  const leaks = secrets.some((secret) => JSON.stringify([error.message, error.original]).includes(secret));
  return leaks ? error.copy({ message: scrub(error.message, secrets), original: undefined }) : error;
}
