import type { ReactNode } from 'react';
import { useStatus } from '../../lib/api/status.ts';
import { LogoMark } from '../../ui/logo.tsx';
import { Stripes } from '../../ui/stripes.tsx';
import classes from './auth-card.module.css';

interface AuthCardProps {
  title: string;
  /** Link to the other page. */
  foot?: ReactNode;
  children: ReactNode;
}

/** The card of log-in and sign-up. */
export function AuthCard({ title, foot, children }: AuthCardProps) {
  const logo = useStatus()?.logo;
  return (
    <div className={classes.place}>
      <div className={classes.card}>
        <Stripes />
        <div className={classes.body}>
          {logo ? <img src={logo} alt="" className={classes.logo} /> : <LogoMark size={34} />}
          <h1 className={classes.title}>{title}</h1>
          {children}
          {foot !== undefined && <p className={classes.foot}>{foot}</p>}
        </div>
      </div>
    </div>
  );
}
