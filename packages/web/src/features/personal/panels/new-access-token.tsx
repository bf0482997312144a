import { NumberInput, Select, Stack, TextInput } from '@mantine/core';
import { type AccessTokenScope, accessTokenScopes, type CallOf, type selfApi } from '@tollgate/contract';
import { useState } from 'react';
import { useTranslate } from '../../../lib/i18n.ts';
import { text } from '../base/text.ts';
import { AskPassword } from './ask-password.tsx';
import { scopeNames } from './scope-names.ts';

type NewToken = CallOf<typeof selfApi.createAccessToken>;

interface NewAccessTokenProps {
  hasPassword: boolean;
  /** Only root may connect a directory. */
  isRoot: boolean;
  run: (made: NewToken, password: string) => Promise<unknown>;
  onClose: () => void;
}

const isScope = (value: string | null): value is AccessTokenScope =>
  accessTokenScopes.some((scope) => scope === value);

/** Asks for the name, scope and lifetime of a new access token, and for the password. */
export function NewAccessToken({ hasPassword, isRoot, run, onClose }: NewAccessTokenProps) {
  const t = useTranslate();
  const [made, setMade] = useState<NewToken>({ name: '', scope: 'read', days: 90 });
  return (
    <AskPassword
      action={t(text.makeToken)}
      hasPassword={hasPassword}
      isComplete={made.name.trim() !== ''}
      run={(password) => run({ ...made, name: made.name.trim() }, password)}
      onClose={onClose}
      body={
        <Stack gap="md">
          <TextInput
            label={t(text.tokenName)}
            description={t(text.tokenNameHint)}
            value={made.name}
            maxLength={50}
            autoComplete="off"
            onChange={({ currentTarget: { value } }) => setMade((each) => ({ ...each, name: value }))}
          />
          <Select
            label={t(text.tokenScope)}
            description={t(text.tokenScopeHint)}
            value={made.scope}
            data={accessTokenScopes
              .filter((value) => isRoot || value !== 'scim')
              .map((value) => ({ value, label: t(scopeNames[value]) }))}
            allowDeselect={false}
            onChange={(scope) => isScope(scope) && setMade((each) => ({ ...each, scope }))}
          />
          <NumberInput
            label={t(text.tokenDays)}
            description={t(text.tokenDaysHint)}
            value={made.days}
            min={0}
            max={3_650}
            allowDecimal={false}
            onChange={(days) => setMade((each) => ({ ...each, days: Number(days) }))}
          />
        </Stack>
      }
    />
  );
}
