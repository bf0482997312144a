import type { Words } from '@tollgate/contract';
import { type TransportFailure, transportFailure } from '../../../lib/outbound/transport-failure.ts';
import type { ProviderDeps } from './types.ts';

type Http = ProviderDeps['http'];

/** The last request, and its answer. */
export interface WatchedHttp {
  http: Http;
  /** '' if there was no request. */
  url: string;
  answer: { status: number; type: string; location: string } | undefined;
}

/** Texts of the provider are shown up to this length. */
const maxShown = 200;
const shown = (text: unknown): string => (typeof text === 'string' ? text.slice(0, maxShown) : '');

/** The outbound client, which remembers its last call. */
export function watch(http: Http): WatchedHttp {
  const watched: WatchedHttp = {
    http: {
      async request(call, ...rest) {
        watched.url = call.url;
        watched.answer = undefined;
        const answer = await http.request(call, ...rest);
        const { 'content-type': type, location } = answer.headers;
        watched.answer = { status: answer.status, type: shown(type), location: shown(location) };
        return answer;
      },
    },
    url: '',
    answer: undefined,
  };
  return watched;
}

/** Reason why a document could not be read: the address, and the response. */
export function failedDiscovery(error: unknown, { url, answer }: WatchedHttp): Words {
  if (url === '') return { zh: '这不是有效的地址', en: 'this is no address' };
  const came = answer ? wordsOf(error, answer) : notReached[transportFailure(error)];
  return { zh: `请求 ${shown(url)}，${came.zh}`, en: `${shown(url)} was asked, and ${came.en}` };
}

function wordsOf(error: unknown, { status, type, location }: NonNullable<WatchedHttp['answer']>): Words {
  if (status !== 200) {
    const to: Words = location ? { zh: `，转向 ${location}`, en: `, to ${location}` } : { zh: '', en: '' };
    return { zh: `对方返回 HTTP ${status}${to.zh}`, en: `it answered with HTTP status ${status}${to.en}` };
  }
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  if (code === 'OAUTH_PARSE_ERROR' || code === 'OAUTH_RESPONSE_IS_NOT_JSON') {
    return {
      zh: `对方返回的内容不是 JSON（${type || '未注明类型'}）`,
      en: `what it answered is not JSON (${type || 'of no type'})`,
    };
  }
  if (code === 'OAUTH_JSON_ATTRIBUTE_COMPARISON_FAILED') {
    const named = issuerIn(error);
    return {
      zh: `文档中的签发者是 ${named}，与该地址不符`,
      en: `its document names the issuer ${named}, which is at another address`,
    };
  }
  return {
    zh: '对方返回的 JSON 不是 OIDC 配置',
    en: 'the JSON that it answered is no document of an OpenID provider',
  };
}

function issuerIn(error: unknown): string {
  const cause = error instanceof Error ? error.cause : undefined;
  const { body } = (cause ?? {}) as { body?: { issuer?: unknown } };
  return shown(body?.issuer);
}

const notReached: Readonly<Record<TransportFailure, Words>> = {
  refused: { zh: '连接被拒绝', en: 'the connection was refused' },
  not_found: { zh: '找不到该主机名', en: 'its host name is not known' },
  timeout: { zh: '对方没有在规定时间内回答', en: 'it did not answer in time' },
  tls: { zh: 'TLS 证书或握手有误', en: 'its TLS certificate or handshake failed' },
  lost: { zh: '对方在回答之前断开了连接', en: 'it closed the connection before it answered' },
  unreachable: { zh: '无法连接', en: 'there was no connection' },
  address_forbidden: { zh: '不允许访问该地址', en: 'this address must not be reached' },
  bad_answer: { zh: '对方的回答无法识别', en: 'what it answered could not be read' },
};
