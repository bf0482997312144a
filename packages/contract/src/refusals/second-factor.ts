/** Refusals of the second factor (docs/compatibility.md#second-factor). */
export const secondFactorErrors = {
  verify_again: {
    status: 403,
    zh: '此操作需要再次验证身份',
    en: 'Confirm once more that it is you',
  },
  second_factor_required: {
    status: 403,
    zh: '本站要求管理员启用两步验证，请先在个人设置中设置身份验证器或通行密钥',
    en: 'This site wants two-step sign-in of its administrators: set up an authenticator app or a passkey in your personal settings first',
  },
  second_factor_wrong: {
    status: 200,
    zh: '验证码或恢复代码不正确，或已被使用',
    en: 'The code is wrong or was used before',
  },
  second_factor_locked: {
    status: 429,
    zh: '错误次数过多，请在 {retryAfter} 秒后再试',
    en: 'Too many wrong codes, please try again in {retryAfter} seconds',
  },
  second_factor_missing: {
    status: 200,
    zh: '您还没有设置两步验证',
    en: 'Your account has no second factor',
  },
  second_factor_on: {
    status: 200,
    zh: '身份验证器已启用，请先停用',
    en: 'The authenticator app is set up already: switch it off first',
  },
  second_step_over: {
    status: 403,
    zh: '登录已超时，请重新登录',
    en: 'The sign-in took too long, please begin again',
  },
  passkey_refused: {
    status: 200,
    zh: '通行密钥验证失败，请重试',
    en: 'The passkey was not accepted, please try again',
  },
  passkey_known: {
    status: 200,
    zh: '该通行密钥已添加',
    en: 'This passkey was added already',
  },
  passkey_limit: {
    status: 200,
    zh: '通行密钥最多 {limit} 个',
    en: 'The limit of {limit} passkeys is reached',
  },
  passkey_address_missing: {
    status: 200,
    zh: '管理员尚未填写服务器地址（或填写的是 IP 地址），无法使用通行密钥',
    en: 'Passkeys need the address of this site, by name, which the administrator has not entered',
  },
} as const;
