import { texts } from '../../lib/i18n.ts';

export const text = texts({
  login: { zh: '登录', en: 'Log in' },
  loginTitle: { zh: '登录 {name}', en: 'Log in to {name}' },
  registerTitle: { zh: '注册 {name}', en: 'Sign up for {name}' },
  register: { zh: '注册', en: 'Sign up' },
  username: { zh: '用户名', en: 'Username' },
  usernameOrEmail: { zh: '用户名或邮箱', en: 'Username or e-mail' },
  password: { zh: '密码', en: 'Password' },
  passwordAgain: { zh: '确认密码', en: 'Password again' },
  passwordHint: { zh: '最短 8 位，最长 20 位', en: '8 to 20 characters' },
  loginRequired: { zh: '请输入用户名和密码！', en: 'Please enter username and password!' },
  required: { zh: '必填', en: 'Required' },
  tooShort: { zh: '密码长度不得小于 8 位！', en: 'The password must have at least 8 characters!' },
  mismatch: { zh: '两次输入的密码不一致', en: 'The two passwords do not match' },
  expired: {
    zh: '未登录或登录已过期，请重新登录',
    en: 'Not logged in or the session has expired, please log in again',
  },
  noAccount: { zh: '还没有账户？', en: 'No account yet?' },
  haveAccount: { zh: '已有账户？', en: 'Already have an account?' },
  welcome: { zh: '登录成功！', en: 'Login successful!' },
  registered: { zh: '注册成功，请登录', en: 'You are signed up. Please log in' },
  defaultPassword: {
    zh: '您正在使用默认密码！请立刻修改默认密码！',
    en: 'You are using the default password! Change it at once!',
  },
  closed: { zh: '管理员关闭了注册', en: 'The administrator closed the registration' },
  forgotPassword: { zh: '忘记密码？', en: 'Forgot your password?' },
  resetTitle: { zh: '密码重置', en: 'Reset your password' },
  resetSubmit: { zh: '发送重置链接', en: 'Send the link' },
  resetSent: {
    zh: '如果该邮箱已注册，重置邮件已发送，请检查邮箱！',
    en: 'If an account has this address, a link is on its way. Please look into your mailbox!',
  },
  backToLogin: { zh: '返回登录', en: 'Back to log-in' },
  newPasswordTitle: { zh: '密码重置确认', en: 'Your new password' },
  newPasswordFor: {
    zh: '将为 {email} 生成一个新密码，所有已登录的设备都会退出。',
    en: 'A new password is made for {email}, and every device is logged out.',
  },
  newPasswordSubmit: { zh: '生成新密码', en: 'Make a new password' },
  newPasswordReady: {
    zh: '密码已重置。请复制新密码，它只显示这一次。',
    en: 'The password was reset. Copy the new one: it is shown this once.',
  },
  newPassword: { zh: '新密码', en: 'New password' },
  linkInvalid: {
    zh: '无效的重置链接，请重新发起密码重置请求',
    en: 'This reset link is not complete. Ask for another one',
  },
});
