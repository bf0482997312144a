import { group, secret, text, toggle, url } from '../define.ts';

export const oidc = group(
  'sign-in',
  { zh: '配置 OIDC 与 SAML', en: 'OIDC and SAML' },
  {
    'oidc.enabled': toggle({
      default: false,
      publicAs: 'oidc_enabled',
      requires: { filled: ['oidc.client_id'], error: 'oidc_not_configured' },
      label: { zh: '允许通过 OIDC 进行登录', en: 'Sign in with OIDC' },
      help: { zh: '例如 Okta、Auth0 等兼容 OIDC 协议的 IdP', en: 'Okta, Auth0 or any other OIDC provider' },
    }),
    'oidc.client_id': text({
      default: '',
      publicAs: 'oidc_client_id',
      label: { zh: 'Client ID', en: 'Client ID' },
      help: { zh: '由 OIDC 服务提供', en: 'Provided by the OIDC provider' },
    }),
    'oidc.client_secret': secret({
      label: { zh: 'Client Secret', en: 'Client secret' },
      help: {
        zh: '修改 Token 端点后需要重新填写',
        en: 'Must be entered again when the token endpoint changes',
      },
    }),
    'oidc.well_known': url({
      default: '',
      label: { zh: 'Well-Known URL', en: 'Well-known address' },
      help: {
        zh: '自动获取以下端点并校验 ID Token',
        en: 'The endpoints below are read from it, and ID tokens are verified',
      },
    }),
    'oidc.authorization_endpoint': url({
      default: '',
      publicAs: 'oidc_authorization_endpoint',
      label: { zh: 'Authorization Endpoint', en: 'Authorization endpoint' },
      help: { zh: '浏览器登录时打开的地址', en: 'The page browsers open to sign in' },
    }),
    'oidc.token_endpoint': url({
      default: '',
      guards: ['oidc.client_secret'],
      label: { zh: 'Token Endpoint', en: 'Token endpoint' },
      help: { zh: '换取 Token 的地址', en: 'Where codes are exchanged for tokens' },
    }),
    'oidc.user_info_endpoint': url({
      default: '',
      label: { zh: 'User Info Endpoint', en: 'User info endpoint' },
      help: { zh: '读取用户信息的地址', en: 'Where the account is read' },
    }),
  },
);
