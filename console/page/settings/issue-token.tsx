import { createClient } from "@connectrpc/connect";
import { useQuery } from "@connectrpc/connect-query";
import { useState } from "react";
import { EnvironmentService } from "../../../gen/policyguard/control/v1/environment_service_pb.ts";
import { ProjectService } from "../../../gen/policyguard/control/v1/project_service_pb.ts";
import { TokenService } from "../../../gen/policyguard/control/v1/token_service_pb.ts";
import { invalidate } from "../../data/invalidation.ts";
import { useOrganization } from "../../data/organization.ts";
import { transport } from "../../data/transport.ts";
import { DeedDialog } from "../../part/deed-dialog.tsx";
import { Select, TextField } from "../../part/field.tsx";
import { ShownOnce } from "../../part/shown-once.tsx";
import { en } from "../../text/en.ts";

const texts = en.tokens;
const tokens = createClient(TokenService, transport);
const kinds = ["runtime", "ci", "admin"] as const;

/** Issues a token and shows it once. Its value lives in this dialog alone. */
export function IssueTokenDialog({ onClose }: { readonly onClose: () => void }) {
  const { orgId } = useOrganization();
  const [kind, setKind] = useState<(typeof kinds)[number]>("runtime");
  const [token, setToken] = useState<string>();
  const issue = async (text: (name: string) => string) => {
    const common = { orgId, name: text("name") };
    const place = { projectId: text("project_id"), environment: text("environment") };
    const issued =
      kind === "admin"
        ? await tokens.issueAdminToken(common)
        : kind === "ci"
          ? await tokens.issueCiToken({ ...common, projectId: place.projectId })
          : await tokens.issueRuntimeToken({ ...common, ...place });
    setToken(issued.token);
    await invalidate(TokenService.method.issueRuntimeToken);
  };
  if (token !== undefined)
    return (
      <ShownOnce
        title={texts.onceTitle}
        text={texts.onceText}
        value={token}
        variable="POLICY_GUARD_TOKEN"
        onClose={onClose}
      />
    );
  return (
    <DeedDialog title={texts.create} deed={texts.issue} staysOpen onDo={issue} onClose={onClose}>
      <Select
        label={texts.kind}
        hint={texts.kindHints[kind]}
        value={kind}
        onChange={(event) => setKind(kinds.find((each) => each === event.target.value) ?? "runtime")}
      >
        {kinds.map((each) => (
          <option key={each} value={each}>
            {texts.kinds[each]}
          </option>
        ))}
      </Select>
      {kind !== "admin" && <Place hasEnvironment={kind === "runtime"} />}
      <TextField label={texts.name} name="name" required maxLength={200} />
    </DeedDialog>
  );
}

function Place({ hasEnvironment }: { readonly hasEnvironment: boolean }) {
  const { orgId } = useOrganization();
  const projects = useQuery(ProjectService.method.listProjects, { orgId, limit: 200 });
  const [chosen, setChosen] = useState<string>();
  const projectId = chosen ?? projects.data?.projects[0]?.id ?? "";
  const environments = useQuery(
    EnvironmentService.method.listEnvironments,
    { orgId, projectId },
    { enabled: projectId !== "" },
  );
  return (
    <>
      <Select
        label={texts.project}
        name="project_id"
        asked={projects}
        required
        value={projectId}
        onChange={(event) => setChosen(event.target.value)}
      >
        {projects.data?.projects.map(({ id, name }) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
      </Select>
      {hasEnvironment && (
        <Select label={texts.environment} name="environment" asked={environments} required>
          {environments.data?.environments.map(({ id, name }) => (
            <option key={id} value={name}>
              {name}
            </option>
          ))}
        </Select>
      )}
    </>
  );
}
