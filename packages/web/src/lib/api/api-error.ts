import { translate, texts, type Language } from '../i18n.ts';

const text = texts({
  prefix: { zh: '错误：{message}', en: 'Error: {message}' },
  offline: {
    zh: '无法连接到服务器，请检查网络后重试',
    en: 'Unable to connect to server. Check the network and try again',
  },
  tooMany: {
    zh: '错误：请求次数过多，请稍后再试！',
    en: 'Error: too many requests, please try again later!',
  },
  internal: {
    zh: '错误：服务器内部错误，请联系管理员！',
    en: 'Error: internal server error, please contact the administrator!',
  },
  demo: { zh: '本站仅作演示之用，无服务端！', en: 'This is a demo site without a server!' },
  expired: {
    zh: '未登录或登录已过期，请重新登录',
    en: 'Not logged in or session expired. Please login again!',
  },
  malformed: { zh: '没有正常回答，请稍后重试', en: 'no proper answer, try again later' },
});

/** Fields of an `ApiError`. Status 0: there was no answer. */
interface ErrorParts {
  status: number;
  message: string;
  code?: string | undefined;
  requestId?: string | undefined;
  /** Top-level fields beside `success` and `message`, for calls that have some. */
  extra?: Record<string, unknown>;
}

/** A refused or failed call, with a message for users. */
export class ApiError extends Error {
  readonly status: number;
  /** The server's stable name of the error, if it has one. */
  readonly code: string | undefined;
  /** Names the request in the server's log. */
  readonly requestId: string | undefined;
  readonly extra: Record<string, unknown>;

  constructor(parts: ErrorParts) {
    super(parts.message);
    this.name = 'ApiError';
    this.status = parts.status;
    this.code = parts.code;
    this.requestId = parts.requestId;
    this.extra = parts.extra ?? {};
  }
}

/** The message for an HTTP status; `message` is the server's own, if it sent one. */
export function statusMessage(status: number, message: string, language: Language): string {
  if (status === 0) return translate(language, text.offline);
  if (status === 401) return message || translate(language, text.expired);
  if (status === 405) return translate(language, text.demo);
  if (status === 429) return translate(language, text.tooMany);
  if (status === 500) return translate(language, text.internal);
  return translate(language, text.prefix, { message: message || translate(language, text.malformed) });
}

/** A message for users from any error. */
export const errorMessage = (error: unknown, language: Language): string =>
  error instanceof ApiError
    ? error.message
    : translate(language, text.prefix, { message: error instanceof Error ? error.message : String(error) });
