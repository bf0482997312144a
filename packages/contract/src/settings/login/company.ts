import * as z from 'zod/mini';
import { group, json } from '../define.ts';
import { settingError } from '../setting-error.ts';
import { listUpTo, matching, nameUpTo, wholeBetween } from '../shapes.ts';

/** Users with `value` in the claim (`*`: all) get these; see `SignInPolicy`. */
interface SignInRule {
  value: string;
  group?: string | undefined;
  role?: 'user' | 'admin' | undefined;
  /** Id of an organisation, and the role in it (by default `member`). */
  organisation?: number | undefined;
  member?: 'member' | 'manager' | undefined;
}

/** What the users of one OpenID provider are here. Those whom no rule matches may not enter. */
export interface SignInPolicy {
  /** Name or path of the claim with the groups: `groups`, `realm_access.roles`. */
  claim: string;
  /** True if the company's directory sends users and groups by SCIM: its groups then replace the claim. */
  scim?: boolean | undefined;
  rules: readonly SignInRule[];
}

const rule: z.ZodMiniType<SignInRule> = z.strictObject({
  value: nameUpTo(255),
  group: z.optional(nameUpTo(64)),
  role: z.optional(z.enum(['user', 'admin'])),
  organisation: z.optional(wholeBetween(1, Number.MAX_SAFE_INTEGER)),
  member: z.optional(z.enum(['member', 'manager'])),
});

/** Slug of a provider (`oidc` for the one in the settings) → its policy. */
const policies: z.ZodMiniType<Readonly<Record<string, SignInPolicy>>> = z.record(
  matching(/^[a-z][a-z0-9-]{0,31}$/),
  z.strictObject({
    claim: z._default(nameUpTo(255), 'groups'),
    scim: z.optional(z.boolean()),
    rules: listUpTo(200, rule).check(z.minLength(1)),
  }),
);

const oneDirectory = {
  zh: '只能有一处 "scim": true',
  en: 'only one policy may have "scim": true',
};

export const company = group(
  'sign-in',
  { zh: '企业登录规则', en: 'Company sign-in' },
  {
    SignInRules: json({
      schema: policies,
      checkSaved(value, key) {
        if (Object.values(value).filter(({ scim }) => scim).length > 1)
          throw settingError('setting_malformed', { key, detail: oneDirectory });
      },
      default: {},
      label: { zh: '分组规则', en: 'Rules for groups' },
      help: {
        zh: '按身份提供方或 SCIM 的分组设置用户分组、角色和组织；无匹配规则者不能登录',
        en: 'JSON by provider: group, role and organisation by a claim or SCIM; without a match nobody enters',
      },
    }),
  },
);
