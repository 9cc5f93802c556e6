-- A new alert of about 1 KB with each request. Each thread counts in a range of its own, and each run in another.
local threads = 0

function setup(thread)
   threads = threads + 1
   thread:set("number", threads)
end

function init(args)
   count = 0
   prefix = string.format("%s-%d-", args[1], number)
   wrk.method = "POST"
   wrk.headers["Content-Type"] = "application/json"
   if args[2] ~= "" then
      wrk.headers["Authorization"] = "Bearer " .. args[2]
   end
   before = '{"title":"High memory on node 17","description":"' .. string.rep("The node uses more memory than it should. ", 16) .. '",'
      .. '"start_time":"2024-05-01T12:00:00Z","service":"checkout","monitoring_tool":"probe","severity":"high",'
      .. '"hosts":["node-17.example.com"],"gitlab_environment_name":"production","labels":{"team":"payments","zone":"b"},"fingerprint":"'
   after = '"}'
end

function request()
   count = count + 1
   return wrk.format(nil, nil, nil, before .. prefix .. count .. after)
end
