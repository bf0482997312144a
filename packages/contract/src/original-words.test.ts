import { expect, it } from 'vitest';
import { errors, type Words } from './errors.ts';
import { relayErrors } from './relay-errors/index.ts';

// English texts of the original's console for the Chinese texts of its server. Programs and people know both.

const all: readonly Words[] = [...Object.values(errors), ...Object.values(relayErrors)];

it.each([
  ['用户已被封禁', 'User has been banned'],
  ['管理员关闭了新用户注册', 'Administrator has disabled new user registration'],
  ['管理员关闭了密码登录', 'Administrator has disabled password login'],
  ['验证码错误或已过期', 'Verification code is incorrect or expired'],
  ['重置链接非法或已过期', 'Reset link is invalid or expired'],
  ['无权获取同级或更高等级用户的信息', 'No permission to access users at same or higher level'],
  ['无权更新同权限等级或更高权限等级的用户信息', 'No permission to update users at same or higher level'],
  ['无权删除同权限等级或更高权限等级的用户', 'No permission to delete users at same or higher level'],
  ['无法禁用超级管理员用户', 'Cannot disable super administrator user'],
  ['无法删除超级管理员用户', 'Cannot delete super administrator user'],
  ['无法降级超级管理员用户', 'Cannot downgrade super administrator user'],
  [
    '普通管理员用户无法提升其他用户为管理员',
    'Regular administrator cannot promote other users to administrator',
  ],
  [
    '当前分组 {group} 下对于模型 {model} 无可用渠道',
    'No available channels for model {model} under current group {group}',
  ],
  ['该渠道已被禁用', 'This channel has been disabled'],
  ['普通用户不支持指定渠道', 'Regular users cannot specify channels'],
  ['该兑换码已被使用', 'This redemption code has been used'],
  ['用户不存在', 'User does not exist'],
  ['用户已注销', 'User has been deleted'],
  ['用户名或密码为空', 'Username or password is empty'],
  ['用户名或密码错误，或用户已被封禁', 'Username or password is incorrect, or user has been banned'],
  ['原密码错误', 'Original password is incorrect'],
  ['邮箱地址已被占用', 'Email address is already in use'],
  ['无效的参数', 'Invalid parameter'],
])('%s is %s', (zh, en) => {
  const written = all.filter((words) => words.zh === zh).map((words) => words.en);
  expect(new Set(written)).toEqual(new Set([en]));
});
