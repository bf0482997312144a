import { group, secret, text, toggle } from '../define.ts';

export const github = group(
  'sign-in',
  { zh: '配置 GitHub OAuth App', en: 'GitHub' },
  {
    GitHubOAuthEnabled: toggle({
      default: false,
      publicAs: 'github_oauth',
      requires: { filled: ['GitHubClientId'], error: 'github_not_configured' },
      label: { zh: '允许通过 GitHub 账户登录 & 注册', en: 'Sign in with GitHub' },
      help: {
        zh: '回调地址为 <服务器地址>/oauth/github',
        en: 'The callback is <server address>/oauth/github',
      },
    }),
    GitHubClientId: text({
      default: '',
      publicAs: 'github_client_id',
      label: { zh: 'GitHub Client ID', en: 'Client ID' },
      help: { zh: '由 GitHub OAuth App 提供', en: 'Provided by the GitHub OAuth app' },
    }),
    GitHubClientSecret: secret({
      label: { zh: 'GitHub Client Secret', en: 'Client secret' },
      help: { zh: '敏感信息不会发送到前端显示', en: 'Never shown again' },
    }),
  },
);
