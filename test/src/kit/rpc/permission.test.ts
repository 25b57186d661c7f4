import { describe, expect, it } from "vitest";
import { CredentialKind, Role } from "../../../../gen/policyguard/options/v1/options_pb.ts";
import { controlServices } from "../../../../src/control-services.ts";
import { methodFacts } from "../../../../src/kit/rpc/options.ts";
import { type Holder, permittedMethods } from "../../../../src/kit/rpc/permission.ts";

const member = (role: Role): Holder => ({ kind: CredentialKind.MEMBER, role });
const token = (kind: CredentialKind): Holder => ({ kind, role: undefined });
const methods = controlServices.flatMap((service) => service.methods);
const roles = [Role.VIEWER, Role.EDITOR, Role.ADMIN, Role.OWNER];

describe("what a credential may call", () => {
  it("grows with the role", () => {
    const lists = roles.map((role) => permittedMethods(controlServices, member(role)));
    for (const [i, list] of lists.entries()) {
      expect(list).toEqual(expect.arrayContaining(lists[i - 1] ?? []));
      expect(list.length).toBeGreaterThan(lists[i - 1]?.length ?? 0);
    }
  });

  it.each([
    ["a viewer", member(Role.VIEWER), "TeamService/ListMembers", "TeamService/InviteMember"],
    ["an editor", member(Role.EDITOR), "PolicyService/CreatePolicy", "TokenService/IssueCiToken"],
    ["an admin", member(Role.ADMIN), "TeamService/InviteMember", "OrganizationService/DeleteOrganization"],
    ["an admin token", token(CredentialKind.ADMIN), "TeamService/InviteMember", "TeamService/TransferOwnership"],
    ["a ci token", token(CredentialKind.CI), "BundleService/PublishBundle", "TeamService/ListMembers"],
    ["a runtime token", token(CredentialKind.RUNTIME), "BundleService/GetLatestBundle", "ProjectService/ListProjects"],
  ])("of %s has %s's own and not more", (_, holder, may, mayNot) => {
    const list = permittedMethods(controlServices, holder);
    expect(list).toContain(may);
    expect(list).not.toContain(mayNot);
  });

  it("excludes account methods for a session of an identity provider, except signing out", () => {
    const provided = permittedMethods(controlServices, { ...member(Role.OWNER), isProvided: true });
    const missing = permittedMethods(controlServices, member(Role.OWNER)).filter((name) => !provided.includes(name));
    expect(missing).toEqual(
      expect.arrayContaining(["AccountService/ChangePassword", "OrganizationService/CreateOrganization"]),
    );
    expect(provided).toEqual(expect.arrayContaining(["AccountService/Logout", "TeamService/TransferOwnership"]));
  });

  it("includes public methods for everybody", () => {
    const open = methods
      .filter((method) => methodFacts(method).access.public)
      .map(({ parent, name }) => `${parent.name}/${name}`);
    expect(open.length).toBeGreaterThan(5);
    for (const holder of [member(Role.VIEWER), token(CredentialKind.RUNTIME)]) {
      expect(permittedMethods(controlServices, holder)).toEqual(expect.arrayContaining(open));
    }
  });

  it("includes only public methods for a credential without a kind", () => {
    const list = permittedMethods(controlServices, token(CredentialKind.UNSPECIFIED));
    expect(list).toHaveLength(methods.filter((method) => methodFacts(method).access.public).length);
  });
});
