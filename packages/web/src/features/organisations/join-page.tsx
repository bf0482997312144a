import { Button, Skeleton } from '@mantine/core';
import { teamRole, type OwnInvitationData } from '@tollgate/contract';
import { useQuery } from '@tanstack/react-query';
import { Link, useLocation, useNavigate } from '@tanstack/react-router';
import { MailOpen, MailX } from 'lucide-react';
import { ApiError, errorMessage } from '../../lib/api/api-error.ts';
import { useLanguage, useTranslate, texts } from '../../lib/i18n.ts';
import { Time } from '../../shared/date-time/time.tsx';
import { MutationButton } from '../../shared/demo/mutation-button.tsx';
import { toast } from '../../shared/feedback/toast.ts';
import { LoadError } from '../../shared/state/load-error.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { Notice } from '../../ui/notice.tsx';
import { PageHead } from '../../ui/page-head.tsx';
import { Panel } from '../../ui/panel.tsx';
import classes from './base/organisations.module.css';
import { lookQuery, useAccept, useDecline } from './list/queries.ts';

const text = texts({
  title: { zh: '组织邀请', en: 'Invitation' },
  invites: { zh: '{inviter} 邀请您加入“{team}”', en: '{inviter} invites you to “{team}”' },
  asMember: {
    zh: '您将作为成员加入：可以创建由该组织付费的令牌，并查看自己的用量。',
    en: 'You join as a member: you can create keys that the organisation pays for and see your own usage.',
  },
  asManager: {
    zh: '您将作为管理员加入：除创建令牌外，还可以邀请成员、设置上限、向钱包转入额度并查看账单。',
    en: 'You join as a manager: besides creating keys, you can invite members, set limits, add funds to the wallet and read the statement.',
  },
  private: {
    zh: '您自己的钱包、令牌和日志仍然只属于您。',
    en: 'Your own wallet, keys and log remain yours alone.',
  },
  expires: { zh: '邀请有效期至', en: 'The invitation is valid until' },
  accept: { zh: '接受邀请', en: 'Accept' },
  decline: { zh: '拒绝', en: 'Decline' },
  accepted: { zh: '您已加入“{team}”', en: 'You joined “{team}”' },
  declined: { zh: '邀请已拒绝', en: 'Invitation declined' },
  noCodeTitle: { zh: '这个链接不完整', en: 'This link is incomplete' },
  noCodeHint: {
    zh: '请使用邀请邮件中的完整链接，或向邀请您的人重新索取。',
    en: 'Open the full link from the e-mail, or ask the person who invited you for a new one.',
  },
  goneTitle: { zh: '邀请无法使用', en: 'This invitation cannot be used' },
  toList: { zh: '我的组织', en: 'My organisations' },
});

/** The page of an invitation link; its code is in the fragment, which browsers do not send. */
export function Page() {
  const t = useTranslate();
  const code = useLocation().hash;
  return (
    <>
      <PageHead title={t(text.title)} />
      <Panel>
        {code === '' ? (
          <Nothing title={t(text.noCodeTitle)} hint={t(text.noCodeHint)} />
        ) : (
          <InvitationByCode code={code} />
        )}
      </Panel>
    </>
  );
}

/** The reason why there is no valid invitation, and a link. */
function Nothing({ title, hint }: { title: string; hint: string }) {
  const t = useTranslate();
  return (
    <EmptyState
      icon={<MailX size={20} />}
      title={title}
      hint={hint}
      action={
        <Button component={Link} to="/organisations" variant="default">
          {t(text.toList)}
        </Button>
      }
    />
  );
}

function InvitationByCode({ code }: { code: string }) {
  const t = useTranslate();
  const language = useLanguage();
  const { data, error, refetch } = useQuery(lookQuery(code));
  if (data) return <Invitation invitation={data} code={code} />;
  if (error instanceof ApiError && error.code === 'invitation_not_found')
    return <Nothing title={t(text.goneTitle)} hint={errorMessage(error, language)} />;
  return error ? <LoadError error={error} onRetry={refetch} /> : <Skeleton height={180} />;
}

interface InvitationProps {
  invitation: OwnInvitationData;
  code: string;
}

/** Accepts or declines, and navigates. */
function useAnswer({ invitation, code }: InvitationProps) {
  const t = useTranslate();
  const navigate = useNavigate();
  const accept = useAccept({ quiet: true });
  const decline = useDecline({ quiet: true });
  const leave = (to: string, words: string) => {
    toast.good(words);
    void navigate({ to, replace: true });
  };
  return {
    accept: () =>
      accept.mutate(
        { code },
        {
          onSuccess: (id) => leave(`/organisations/${id}`, t(text.accepted, { team: invitation.team_name })),
        },
      ),
    decline: () => decline.mutate({ code }, { onSuccess: () => leave('/organisations', t(text.declined)) }),
    accepting: accept.isPending,
    declining: decline.isPending,
    error: accept.error ?? decline.error,
  };
}

/** The inviting user, the organisation and the role. */
function Invitation(props: InvitationProps) {
  const t = useTranslate();
  const language = useLanguage();
  const { invitation } = props;
  const answer = useAnswer(props);
  const isManager = invitation.role >= teamRole.manager;
  return (
    <EmptyState
      icon={<MailOpen size={20} />}
      title={t(text.invites, { inviter: invitation.inviter_name, team: invitation.team_name })}
      hint={
        <>
          {t(isManager ? text.asManager : text.asMember)} {t(text.private)}
          <br />
          {t(text.expires)} <Time at={invitation.expires_time} />
        </>
      }
      action={
        <div className={classes.stack}>
          {answer.error && (
            <Notice tone="bad" role="alert">
              {errorMessage(answer.error, language)}
            </Notice>
          )}
          <div className={classes.buttons} data-centred>
            <MutationButton variant="default" loading={answer.declining} onClick={answer.decline}>
              {t(text.decline)}
            </MutationButton>
            <MutationButton loading={answer.accepting} onClick={answer.accept}>
              {t(text.accept)}
            </MutationButton>
          </div>
        </div>
      }
    />
  );
}
