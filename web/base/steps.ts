/** Divides long work into steps. Each step runs in a separate task, so that the page can handle input in between. */

export type Steps<Result> = Generator<undefined, Result, undefined>

/** Runs all steps immediately. Like `inTurns`, it returns a function that ends the steps early. */
export function atOnce<Result>(steps: Steps<Result>, onDone: (result: Result) => void): () => void {
  let step = steps.next()
  while (step.done !== true) step = steps.next()
  onDone(step.value)
  return () => undefined
}

/** Runs each step in a separate task. Returns a function that ends the steps early. */
export function inTurns<Result>(steps: Steps<Result>, onDone: (result: Result) => void): () => void {
  let timer: ReturnType<typeof setTimeout>
  let isOver = false
  const next = (): void => {
    const step = steps.next()
    isOver = step.done === true
    if (step.done === true) onDone(step.value)
    else timer = setTimeout(next)
  }
  timer = setTimeout(next)
  return () => {
    clearTimeout(timer)
    // Calling `return` while a step runs would throw.
    if (!isOver) steps.return(undefined as never)
  }
}

/** Resolves in the next task. */
export const turn = (): Promise<void> => new Promise((resolve) => setTimeout(resolve))
