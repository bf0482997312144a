import type { RelayErrorEntry } from './entry.ts';

/** Errors of the gateway: paths, sockets, repeated calls, internal state. */
export const gatewayErrors = {
  internal_error: {
    status: 500,
    blame: 'ours',
    zh: '服务器内部错误，请联系管理员！',
    en: 'Internal server error, please contact the administrator!',
  },
  shutting_down: {
    status: 503,
    blame: 'ours',
    zh: '网关正在关闭',
    en: 'the gateway is shutting down',
    retryAfterSeconds: 5,
  },
  loop_detected: {
    status: 508,
    blame: 'ours',
    isFinal: true,
    zh: '请求又回到了本网关',
    en: 'the request came back to the gateway',
  },
  client_gone: {
    status: 499,
    blame: 'caller',
    zh: '调用方已断开连接',
    en: 'the caller left before the answer was there',
  },
  unknown_path: {
    status: 404,
    blame: 'caller',
    code: '',
    zh: '无效的地址 ({path})',
    en: 'Invalid URL ({path})',
  },
  api_not_implemented: {
    status: 501,
    blame: 'ours',
    isFinal: true,
    zh: '尚未实现该接口',
    en: 'API not implemented',
  },
  upgrade_required: {
    status: 426,
    blame: 'caller',
    zh: '此路径是 WebSocket 接口，请求需要升级协议',
    en: 'this path is a websocket: ask for an upgrade',
  },
  invalid_handshake: {
    status: 400,
    blame: 'caller',
    zh: '不是有效的 WebSocket 握手请求',
    en: 'this is not a websocket handshake',
  },
  session_idle: {
    status: 408,
    blame: 'caller',
    zh: '会话长时间没有消息',
    en: 'nothing was sent for too long',
  },
  idempotency_key_invalid: {
    status: 400,
    blame: 'caller',
    zh: 'Idempotency-Key 必须是 1 到 255 个可见的 ASCII 字符',
    en: 'Idempotency-Key must be 1 to 255 visible ASCII characters',
  },
  idempotency_key_reused: {
    status: 422,
    blame: 'caller',
    zh: '此 Idempotency-Key 已用于另一个请求',
    en: 'this Idempotency-Key was used with another request',
  },
  idempotency_key_in_use: {
    status: 409,
    blame: 'caller',
    zh: '使用此 Idempotency-Key 的请求仍在进行',
    en: 'a request with this Idempotency-Key is still running',
  },
  idempotency_answer_gone: {
    status: 409,
    blame: 'caller',
    isFinal: true,
    zh: '使用此 Idempotency-Key 的请求已完成并计费，但其结果没有保留',
    en: 'the request with this Idempotency-Key was carried out and charged, but its answer is not kept',
  },
} as const satisfies Record<string, RelayErrorEntry>;
