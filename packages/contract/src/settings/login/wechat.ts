import { group, secret, text, toggle, url } from '../define.ts';

export const wechat = group(
  'sign-in',
  { zh: '配置 WeChat Server', en: 'WeChat' },
  {
    WeChatAuthEnabled: toggle({
      default: false,
      publicAs: 'wechat_login',
      requires: { filled: ['WeChatServerAddress'], error: 'wechat_not_configured' },
      label: { zh: '允许通过微信登录 & 注册', en: 'Sign in with WeChat' },
      help: { zh: '需要自行部署 WeChat Server', en: 'Needs a WeChat server of your own' },
    }),
    WeChatServerAddress: url({
      base: true,
      default: '',
      guards: ['WeChatServerToken'],
      label: { zh: 'WeChat Server 服务器地址', en: 'Server address' },
      help: { zh: '验证码在此换取用户身份', en: 'Where codes are exchanged for user identities' },
    }),
    WeChatServerToken: secret({
      label: { zh: 'WeChat Server 访问凭证', en: 'Server token' },
      help: { zh: '修改服务器地址后需要重新填写', en: 'Must be entered again when the address changes' },
    }),
    WeChatAccountQRCodeImageURL: text({
      default: '',
      publicAs: 'wechat_qrcode',
      label: { zh: '微信公众号二维码图片链接', en: 'QR code image' },
      help: { zh: '用户扫码关注后获取验证码', en: 'Users scan it to get a code' },
    }),
  },
);
