import { group, toggle } from '../define.ts';

export const secondFactor = group(
  'sign-in',
  { zh: '配置两步验证', en: 'Two-step sign-in' },
  {
    AdminSecondFactorRequired: toggle({
      default: false,
      label: { zh: '要求管理员启用两步验证', en: 'Administrators must use two-step sign-in' },
      help: {
        zh: '未设置身份验证器或通行密钥的管理员在设置之前不能进行任何管理操作',
        en: 'Administrators without an authenticator app or a passkey cannot use admin functions until they set one up',
      },
    }),
  },
);
