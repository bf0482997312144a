import { RelayError } from '../relay/model/relay-error.ts';

/** The upstream could not be reached or broke before its head: faults.md U1, wire-facts 2.4 `请求上游地址失败`. */
export const unreachable = (cause: unknown): RelayError =>
  new RelayError({
    status: 502,
    code: 'do_request_failed',
    message: '请求上游地址失败',
    blame: 'channel',
    cause,
  });

/** The upstream ended its answer before it was whole. */
export const brokenOff = (): RelayError =>
  new RelayError({
    status: 502,
    code: 'bad_response_body',
    message: 'the upstream broke off its answer',
    blame: 'channel',
  });
