/** Refusals of OpenID providers that root adds (docs/compatibility.md#third-party-sign-in). */
export const signInErrors = {
  sign_in_slug_malformed: {
    status: 200,
    zh: '标识须以小写字母开头，只含小写字母、数字和连字符，最长 32 个字符',
    en: 'The short name begins with a lower-case letter and has only such letters, digits and hyphens, at most 32',
  },
  sign_in_slug_reserved: {
    status: 200,
    zh: '该标识由系统使用，请换一个',
    en: 'This short name is used by the system, please choose another',
  },
  sign_in_slug_taken: {
    status: 200,
    zh: '标识 {slug} 已被另一个登录方式使用',
    en: 'Another provider has the short name {slug} already',
  },
  sign_in_logo_malformed: {
    status: 200,
    zh: '图标必须是 https 地址或 data:image 图片',
    en: 'The logo must be an https address or a data:image',
  },
  sign_in_address_malformed: {
    status: 200,
    zh: '发现地址必须以 http:// 或 https:// 开头',
    en: 'The discovery address must start with http:// or https://',
  },
  sign_in_scopes_malformed: {
    status: 200,
    zh: '权限范围以空格分隔，并且必须包含 openid',
    en: 'Scopes are separated by spaces, and openid must be among them',
  },
  sign_in_provider_unreachable: {
    status: 200,
    zh: '读取服务商的配置失败：{reason}。请检查网络状况和地址是否正确',
    en: 'The document of the provider could not be read: {reason}. Check the network and the address',
  },
  sign_in_provider_incomplete: {
    status: 200,
    zh: '{url} 返回的 OIDC 配置缺少 {missing}',
    en: 'The document that {url} answered is not one of an OpenID provider: it lacks {missing}',
  },
  sign_in_provider_moved: {
    status: 200,
    zh: '新地址属于另一个签发者 {issuer}，而已有 {count} 个账户绑定。请另外添加一个登录方式',
    en: 'The new address belongs to another issuer, {issuer}, and {count} accounts are bound to this one. Add another provider instead',
  },
  sign_in_provider_secret_again: {
    status: 200,
    zh: '地址已更改，请重新填写 Client Secret',
    en: 'The address has changed, please enter the client secret again',
  },
  sign_in_bindings_changed: {
    status: 200,
    zh: '绑定的账户数已变为 {count}，请刷新后重新确认',
    en: 'There are {count} bound accounts by now, please look again and confirm anew',
  },
} as const;
