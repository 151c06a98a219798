module tenantscope.example/poller

go 1.21
