import { Link } from '@tanstack/react-router';
import { PartyPopper } from 'lucide-react';
import { useState } from 'react';
import { useTranslate } from '../../lib/i18n.ts';
import { useStatus } from '../../lib/api/status.ts';
import { LogoMark } from '../../ui/logo.tsx';
import { Tag } from '../../ui/tag.tsx';
import { text } from '../text.ts';
import classes from './header.module.css';

/** On New Year's Day the barrier stands open. */
function isNewYear(): boolean {
  const now = new Date();
  return now.getMonth() === 0 && now.getDate() === 1;
}

/** Logo, name and the mark of a site that is not an ordinary one. */
export function Brand() {
  const status = useStatus();
  const t = useTranslate();
  const [newYear] = useState(isNewYear);
  const name = status?.system_name || 'Tollgate';
  return (
    <div className={classes.site}>
      <Link to="/" className={classes.brand}>
        {status?.logo ? <img src={status.logo} alt="" /> : <LogoMark size={24} />}
        <span className={classes.name}>{name}</span>
        {newYear && <PartyPopper size={16} color="var(--tg-warn)" aria-hidden="true" />}
      </Link>
      {status?.self_use_mode_enabled && <Tag tone="accent">{t(text.selfUse)}</Tag>}
      {status?.demo_site_enabled && <Tag tone="warn">{t(text.demo)}</Tag>}
    </div>
  );
}
