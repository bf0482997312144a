import { Link } from '@tanstack/react-router';
import { useSay } from '../../lib/i18n.ts';
import { Panel } from '../../ui/panel.tsx';
import { Stripes } from '../../ui/stripes.tsx';
import classes from './dashboard.module.css';
import { text } from './text.ts';

const channelStep = { to: '/channel', title: text.stepChannel, hint: text.stepChannelHint };
const steps = [
  { to: '/token', title: text.stepToken, hint: text.stepTokenHint },
  { to: '/token', title: text.stepCall, hint: text.stepCallHint },
  { to: '/log', title: text.stepLog, hint: text.stepLogHint },
];

/** The way to the first call, until it was made. */
export function FirstSteps({ isAdmin }: { isAdmin: boolean }) {
  const say = useSay();
  return (
    <Panel title={say(text.firstSteps)}>
      <Stripes />
      <ol className={classes.steps}>
        {[...(isAdmin ? [channelStep] : []), ...steps].map(({ to, title, hint }, index) => (
          <li key={title.en}>
            <Link to={to} className={classes.step}>
              <span className={classes.stepNumber}>{index + 1}</span>
              <span>
                <strong>{say(title)}</strong>
                <span className={classes.stepHint}>{say(hint)}</span>
              </span>
            </Link>
          </li>
        ))}
      </ol>
    </Panel>
  );
}
