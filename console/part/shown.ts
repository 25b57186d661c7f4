import { type UseNavigateResult, useNavigate } from "@tanstack/react-router";
import { type RefObject, useLayoutEffect, useRef } from "react";

/** Whether the part of the page that asks is still shown, for what goes on while it may leave. */
export function useShown(): RefObject<boolean> {
  const isShown = useRef(true);
  useLayoutEffect(() => {
    isShown.current = true;
    return () => {
      isShown.current = false;
    };
  }, []);
  return isShown;
}

/** Leads on after a deed that has taken its time: whoever has gone elsewhere meanwhile stays there. */
export function useGoOn(): UseNavigateResult<string> {
  const navigate = useNavigate();
  const isShown = useShown();
  return (options) => (isShown.current ? navigate(options) : Promise.resolve());
}
