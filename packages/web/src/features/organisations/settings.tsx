import { TextInput } from '@mantine/core';
import { maxTeamName, teamApi, type TeamData } from '@tollgate/contract';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { errorMessage } from '../../lib/api/api-error.ts';
import { useQuotaDisplay } from '../../lib/api/status.ts';
import { formatMoney } from '../../lib/format/number-format.ts';
import { useLanguage, useTranslate, texts } from '../../lib/i18n.ts';
import { useConfirm } from '../../shared/confirm/use-confirm.tsx';
import { MutationButton } from '../../shared/demo/mutation-button.tsx';
import { toast } from '../../shared/feedback/toast.ts';
import { Panel } from '../../ui/panel.tsx';
import { teamActions } from './base/permissions.ts';
import classes from './base/organisations.module.css';
import { call } from '../../lib/api/api-client.ts';
import { useTeamMutation } from './base/queries.ts';

const text = texts({
  nameTitle: { zh: '名称', en: 'Name' },
  name: { zh: '组织名称', en: 'Organisation name' },
  nameRequired: { zh: '请输入名称', en: 'Please enter a name' },
  save: { zh: '保存', en: 'Save' },
  saved: { zh: '名称已保存', en: 'The name is saved' },
  nothing: {
    zh: '被封禁期间不能修改。',
    en: 'The organisation cannot be changed while it is banned.',
  },
  removeTitle: { zh: '解散组织', en: 'Delete the organisation' },
  removeHint: {
    zh: '令牌和邀请失效，余额退回您自己的钱包；仍有调用进行时无法解散。',
    en: 'Keys and invitations end and the balance returns to your own wallet, once no call is running.',
  },
  remove: { zh: '解散', en: 'Delete' },
  removeAsk: { zh: '解散“{team}”？', en: 'Delete “{team}”?' },
  removed: {
    zh: '“{team}”已解散，{money} 已退回您的钱包',
    en: '“{team}” was deleted; {money} returned to your own wallet',
  },
});

const useRename = (id: number) =>
  useTeamMutation((name: string) => call(teamApi.rename, { id, name }), { quiet: true });

/** Returns the quota units that went back to the owner. */
const useRemoveTeam = () => useTeamMutation((id: number) => call(teamApi.remove, { id }));

/** Name and deletion of the organisation. */
export function Settings({ team }: { team: TeamData }) {
  const t = useTranslate();
  const may = teamActions(team);
  return (
    <div className={classes.stack}>
      {may.has('rename') ? (
        <NamePanel team={team} />
      ) : (
        <Panel>
          <p className={classes.quiet}>{t(text.nothing)}</p>
        </Panel>
      )}
      {may.has('remove') && <RemovePanel team={team} />}
    </div>
  );
}

function NamePanel({ team }: { team: TeamData }) {
  const t = useTranslate();
  const language = useLanguage();
  const rename = useRename(team.id);
  const [name, setName] = useState(team.name);
  const [problem, setProblem] = useState<string | null>(null);
  const submit = () => {
    if (name.trim() === '') return setProblem(t(text.nameRequired));
    setProblem(null);
    rename.mutate(name.trim(), {
      onSuccess: () => toast.good(t(text.saved)),
      onError: (error) => setProblem(errorMessage(error, language)),
    });
  };
  return (
    <Panel title={t(text.nameTitle)}>
      <form
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          submit();
        }}
        className={classes.stack}
      >
        <TextInput
          label={t(text.name)}
          value={name}
          error={problem}
          maxLength={maxTeamName}
          maw={420}
          onChange={(event) => setName(event.currentTarget.value)}
        />
        <div className={classes.buttons}>
          <MutationButton type="submit" loading={rename.isPending} disabled={name.trim() === team.name}>
            {t(text.save)}
          </MutationButton>
        </div>
      </form>
    </Panel>
  );
}

/** Deletes the organisation: the user types its name, and the dialog shows the receiver of its money. */
function RemovePanel({ team }: { team: TeamData }) {
  const t = useTranslate();
  const confirm = useConfirm();
  const display = useQuotaDisplay();
  const navigate = useNavigate();
  const remove = useRemoveTeam();
  const ask = async () => {
    const agreed = await confirm({
      title: t(text.removeAsk, { team: team.name }),
      body: t(text.removeHint),
      action: t(text.remove),
      danger: true,
      typeToConfirm: team.name,
    });
    if (!agreed) return;
    try {
      const back = await remove.mutateAsync(team.id);
      toast.good(t(text.removed, { team: team.name, money: formatMoney(back, display) }));
      await navigate({ to: '/organisations' });
    } catch {
      // The mutation itself shows the error as a toast.
    }
  };
  return (
    <Panel title={t(text.removeTitle)}>
      <div className={classes.stack}>
        <p className={classes.quiet}>{t(text.removeHint)}</p>
        <div className={classes.buttons}>
          <MutationButton
            variant="outline"
            color="red.8"
            c="var(--tg-bad)"
            loading={remove.isPending}
            onClick={() => void ask()}
          >
            {t(text.remove)}
          </MutationButton>
        </div>
      </div>
    </Panel>
  );
}
