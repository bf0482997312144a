/** Words in both languages of the console. */
export interface Words {
  zh: string;
  en: string;
}

interface ErrorEntry extends Words {
  /** HTTP status of the answer. Most refusals of console calls answer 200 with success=false (wire-facts, envelope). */
  status: number;
}

/**
 * Every error a console call may answer: code → status and words. `{name}` is replaced from the error's values.
 * The Chinese texts are the original's (wire-facts 12), because clients match on them.
 */
export const errors = {
  not_logged_in: {
    status: 401,
    zh: '无权进行此操作，未登录且未提供 access token',
    en: 'No permission for this operation: not logged in and no access token provided',
  },
  invalid_access_token: {
    status: 200,
    zh: '无权进行此操作，access token 无效',
    en: 'No permission for this operation: invalid access token',
  },
  user_header_missing: {
    status: 401,
    zh: '无权进行此操作，未提供 New-Api-User',
    en: 'No permission for this operation: the New-Api-User header is missing',
  },
  user_header_malformed: {
    status: 401,
    zh: '无权进行此操作，New-Api-User 格式错误',
    en: 'No permission for this operation: the New-Api-User header is malformed',
  },
  user_header_mismatch: {
    status: 401,
    zh: '无权进行此操作，New-Api-User 与登录用户不匹配',
    en: 'No permission for this operation: the New-Api-User header does not match the logged-in user',
  },
  user_banned: { status: 200, zh: '用户已被封禁', en: 'User has been banned' },
  insufficient_role: {
    status: 200,
    zh: '无权进行此操作，权限不足',
    en: 'No permission for this operation: insufficient permissions',
  },
  cross_site: {
    status: 403,
    zh: '无权进行此操作，请求来自其他网站',
    en: 'No permission for this operation: the request comes from another site',
  },
  not_found: { status: 404, zh: '接口不存在', en: 'No such call' },
  method_not_allowed: { status: 405, zh: '不支持的请求方法', en: 'This method is not supported here' },
  invalid_parameter: { status: 200, zh: '无效的参数', en: 'Invalid parameter' },
  invalid_input: { status: 200, zh: '输入不合法 {detail}', en: 'Invalid input: {detail}' },
  body_too_large: { status: 413, zh: '请求内容过大', en: 'The request is too large' },
  malformed_body: { status: 400, zh: '请求内容不是合法的 JSON', en: 'The request body is not valid JSON' },
  too_many_requests: {
    status: 429,
    zh: '请求次数过多，请稍后再试！',
    en: 'Too many requests, please try again later!',
  },
  internal: {
    status: 500,
    zh: '服务器内部错误，请联系管理员！',
    en: 'Internal server error, please contact the administrator!',
  },
  database_unavailable: { status: 503, zh: '数据库连接失败', en: 'The database cannot be reached' },
  row_not_found: { status: 200, zh: '记录不存在', en: 'No such record' },
} as const satisfies Record<string, ErrorEntry>;

export type ErrorCode = keyof typeof errors;

/** Fills `{name}` slots of a text. */
export function fillWords(text: string, values: Record<string, string | number> = {}): string {
  return text.replace(/\{(\w+)\}/g, (slot, name: string) => (name in values ? String(values[name]) : slot));
}

/**
 * A refusal with three faces: `code` for programs, `cause` for our log (never shown), words for people
 * in the language they read. Thrown anywhere, rendered in one place.
 */
export class AppError extends Error {
  readonly code: ErrorCode;
  readonly values: Record<string, string | number>;

  constructor(code: ErrorCode, values: Record<string, string | number> = {}, cause?: unknown) {
    super(fillWords(errors[code].zh, values), cause === undefined ? undefined : { cause });
    this.name = 'AppError';
    this.code = code;
    this.values = values;
  }

  /** HTTP status of the answer. */
  get status(): number {
    return errors[this.code].status;
  }

  /** The public words in `language`. */
  say(language: keyof Words): string {
    return fillWords(errors[this.code][language], this.values);
  }
}
