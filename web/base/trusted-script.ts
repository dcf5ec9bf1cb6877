/** The address of a script. The pages require trusted types: a script element or a worker accepts only addresses from this policy. */

type TrustedScriptUrl = string & { readonly trusted: unique symbol }
interface ScriptPolicy {
  createScriptURL(path: string): TrustedScriptUrl
}
interface TrustedTypes {
  createPolicy(name: string, rules: { createScriptURL(path: string): string }): ScriptPolicy
}

const { trustedTypes } = globalThis as { trustedTypes?: TrustedTypes }

const policy = trustedTypes?.createPolicy('agmd-worker', {
  createScriptURL(path) {
    if (path !== '/sw.js' && !(/^\/assets\/[\w-]+\.js$/.test(path) && /[\w-]-worker-[\w-]/.test(path)))
      throw new TypeError('not a worker of agmd')
    return path
  }
})

/** Returns the trusted address of one of this project's workers. Throws for any other path. */
export const trustedScript = (path: string): string => policy?.createScriptURL(path) ?? path
